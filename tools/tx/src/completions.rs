//! Command `tx completions`.

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::{self, Cli};
use crate::failure::Failure;
use crate::name;
use crate::pages;

/// Prefixes of arguments for which `tx` generates an array. An array argument without a prefix is
/// the name of a file.
const FORMS: &str = "rand: zeros: full:";
const ARRAYS: &str = "*.npy";

pub(crate) fn run(options: &cli::Completions) -> Result<(), Failure> {
    let command = name::of(Cli::command());
    let script = match options.shell {
        cli::Shell::Bash => bash(command),
        cli::Shell::Zsh => zsh(command),
        cli::Shell::Fish => fish(command),
    };
    crate::stdout::print(script.as_bytes())
}

/// Returns the completion script that clap generates. The completion script of clap offers either
/// words or file names for one argument, but not both.
fn generated(shell: Shell, command: &mut Command) -> String {
    // clap_complete panics on write errors, so the code first writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, command, name::get(), &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the name of the shell function for a command, without hyphens.
fn function(what: &str) -> String {
    format!("_{}_{what}", name::get().replace('-', "_"))
}

fn codes() -> String {
    let names: Vec<&str> = pages::titles().map(|(name, _)| name).collect();
    names.join(" ")
}

fn bash(mut command: Command) -> String {
    let script = generated(Shell::Bash, &mut command);
    // Because of a bug, clap_complete encodes a hyphen in the program name in two ways, and the
    // completion script does not find subcommands.
    let [wrong, right] = ["__subcmd__", "__"].map(|hyphen| name::get().replace('-', hyphen));
    let script = script.replace(&wrong, &right);
    let arguments = function("arguments");
    let script = script.replace(
        "--arg)\n                    COMPREPLY=($(compgen -f \"${cur}\"))\n",
        &format!("--arg)\n                    {arguments} \"${{cur}}\"\n"),
    );
    // clap completes only options after `explain`, so the code adds diagnostic codes.
    let explain = format!("        {right}__subcmd__explain)\n");
    let script = script.replace(
        &explain,
        &format!(
            "{explain}            if [[ ${{cur}} == TX* && ${{prev}} != --* ]] ; then
                COMPREPLY=( $(compgen -W \"{}\" -- \"${{cur}}\") )
                return 0
            fi
",
            codes()
        ),
    );
    // File names are quoted, but the colon of prefixes such as `rand:` must not be quoted.
    format!(
        "{arguments}() {{
    local IFS=$'\\n'
    COMPREPLY=($(IFS=' '; compgen -W \"{FORMS}\" -- \"$1\"))
    if [[ \"${{BASH_VERSINFO[0]}}\" -ge 4 ]]; then
        if [[ ${{#COMPREPLY[@]}} -gt 0 ]]; then compopt -o nospace; else compopt -o filenames; fi
    fi
    COMPREPLY+=($(compgen -f -X '!{ARRAYS}' -- \"$1\") $(compgen -d -- \"$1\"))
}}

{script}"
    )
}

fn zsh(mut command: Command) -> String {
    let script = generated(Shell::Zsh, &mut command);
    let [arguments, explained] = ["arguments", "explained"].map(function);
    // The script contains one line per option. The line begins with the name of the option.
    let lines = script.split_inclusive('\n').map(|line| {
        let of = |option: &str| line.starts_with(option);
        match line {
            _ if of("'*--arg=[") => line.replace(":_default'", &format!(":{arguments}'")),
            _ if of("'::what -- ") => line.replace(":_files'", &format!(":{explained}'")),
            _ => line.to_owned(),
        }
    });
    let script: String = lines.collect();
    let own = format!(
        "autoload -U is-at-least

{arguments}() {{
    compadd -S '' -- {FORMS}
    _files -g '{ARRAYS}'
}}

{explained}() {{
    [[ $PREFIX == T* ]] && compadd -- {}
    _files
}}
",
        codes()
    );
    script.replacen("autoload -U is-at-least\n", &own, 1)
}

fn fish(mut command: Command) -> String {
    let mut script = generated(Shell::Fish, &mut command);
    let program = name::get();
    let condition = format!("__fish_{}_using_subcommand", program.replace('-', "_"));
    let takes_arguments = |inner: &&Command| {
        inner
            .get_arguments()
            .any(|arg| arg.get_long() == Some("arg"))
    };
    for inner in command.get_subcommands().filter(takes_arguments) {
        script.push_str(&format!(
            "complete -c {program} -n \"{condition} {}\" -l arg -r -a \"{FORMS}\"\n",
            inner.get_name()
        ));
    }
    // Removes characters that fish interprets inside quotes.
    let codes = pages::titles().map(|(name, title)| {
        let title = title.replace(['\'', '"', '\\', '$'], "");
        format!("{name}\\t'{title}'")
    });
    let codes: Vec<String> = codes.collect();
    script.push_str(&format!(
        "complete -c {program} -n \"{condition} explain; and string match -q 'T*' -- (commandline \
         -ct)\" -a \"{}\"\n",
        codes.join("\n")
    ));
    script
}
