//! Checks that the modules of a crate have no cyclic dependencies, so that every module can be read
//! after the modules that it uses.
//!
//! A module uses another module of its crate if its code names an item that the used module
//! defines. The name of a re-exported item counts as a use of the module that defines the item. A
//! re-export (`pub use`) is not a use, so that a parent module can re-export items of its child
//! modules. The check ignores tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use serde_json::Value;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, UseTree, Visibility};

/// Path of a module from the root of its crate. The path of the root module is empty.
type ModulePath = Vec<String>;

/// Map from each used module to the names of its used items.
type Uses = BTreeMap<ModulePath, BTreeSet<String>>;

/// Declarations and references of one module.
#[derive(Default)]
struct Module {
    /// Names of the items that the module defines.
    defined: BTreeSet<String>,
    /// Imported names of the module, each with the path in the `use` item that imports the name.
    imported: BTreeMap<String, Vec<String>>,
    /// Paths of glob imports and glob re-exports.
    globs: Vec<Vec<String>>,
    /// Paths in the module's code, except for re-exports.
    named: Vec<Vec<String>>,
}

/// Returns an error message for each dependency cycle between the modules of one library or
/// program.
pub(super) fn circles(packages: &[Value]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        for target in package["targets"].as_array().into_iter().flatten() {
            let is_compiled = ["lib", "bin"].iter().any(|kind| target["kind"][0] == *kind);
            if let (true, Some(root)) = (is_compiled, target["src_path"].as_str()) {
                let mut modules = BTreeMap::new();
                read(Path::new(root), Vec::new(), &mut modules)?;
                wrong.extend(circles_of(&modules).iter().map(|circle| {
                    format!("{name}: {circle}: move what both sides need into a module below them")
                }));
            }
        }
    }
    Ok(wrong)
}

/// Reads a module from its file, and its child modules.
fn read(file: &Path, path: ModulePath, modules: &mut BTreeMap<ModulePath, Module>) -> Result<()> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let parsed =
        syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
    let is_root = path.is_empty() || file.ends_with("mod.rs");
    let folder = match is_root {
        true => file.parent().unwrap_or(Path::new("")).to_owned(),
        false => file.with_extension(""),
    };
    for (child, file) in add(parsed.items, path, file, &folder, modules) {
        read(&file, child, modules)?;
    }
    Ok(())
}

/// Adds the module that a file contains, and returns the paths and files of its child modules.
/// `folder` is the folder that contains the files of the child modules.
fn add(
    items: Vec<Item>,
    path: ModulePath,
    file: &Path,
    folder: &Path,
    modules: &mut BTreeMap<ModulePath, Module>,
) -> Vec<(ModulePath, PathBuf)> {
    let mut module = Module::default();
    let mut children = Vec::new();
    for item in items {
        let tokens = item.to_token_stream();
        match item {
            Item::Mod(each) if !is_test(&each.attrs) => {
                let name = each.ident.to_string();
                let mut child = path.clone();
                child.push(name.clone());
                match each.content {
                    Some((_, items)) => {
                        children.extend(add(items, child, file, &folder.join(&name), modules));
                    }
                    None => children.push((child, file_of(&each.attrs, &name, file, folder))),
                }
            }
            Item::Use(each) if !is_test(&each.attrs) => {
                let is_export = !matches!(each.vis, Visibility::Inherited);
                module.import(&each.tree, &mut Vec::new(), is_export);
            }
            Item::Mod(_) | Item::Use(_) => {}
            _ => {
                module.defined.extend(defined_name(tokens.clone()));
                paths(tokens, &[], &mut module.named);
            }
        }
    }
    modules.insert(path, module);
    children
}

/// Returns the file of a module declaration such as `mod name;`: the path in the attribute `path`,
/// if present, or else `name.rs` or `name/mod.rs` in `folder`.
fn file_of(attributes: &[Attribute], name: &str, parent: &Path, folder: &Path) -> PathBuf {
    let written = attributes
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(path),
                    ..
                }) => Some(path.value()),
                _ => None,
            },
            _ => None,
        });
    if let Some(written) = written {
        return parent.with_file_name(written);
    }
    let beside = folder.join(format!("{name}.rs"));
    match beside.is_file() {
        true => beside,
        false => folder.join(name).join("mod.rs"),
    }
}

/// Returns whether an item is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.parse_args::<Ident>();
        attribute.path().is_ident("cfg") && condition.is_ok_and(|name| name == "test")
    })
}

/// Returns the name that follows the keyword of an item.
fn defined_name(tokens: TokenStream) -> Option<String> {
    const KEYWORDS: &[&str] = &[
        "struct", "enum", "fn", "const", "static", "type", "trait", "union",
    ];
    let mut words = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    });
    words.find(|word| KEYWORDS.contains(&word.as_str()))?;
    words.find(|word| !KEYWORDS.contains(&word.as_str()))
}

/// Collects all paths with at least two segments from code, including macro calls and `use` items
/// inside functions.
fn paths(tokens: TokenStream, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = prefix.to_vec();
    let mut colons = if prefix.is_empty() { 0 } else { 2 };
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                if colons != 2 {
                    found.push(std::mem::take(&mut path));
                }
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                let prefix = if colons == 2 { path.as_slice() } else { &[] };
                paths(group.stream(), prefix, found);
                found.push(std::mem::take(&mut path));
                colons = 0;
            }
            _ => {
                found.push(std::mem::replace(&mut path, prefix.to_vec()));
                colons = if prefix.is_empty() { 0 } else { 2 };
            }
        }
    }
    found.push(path);
    found.retain(|path| path.len() > 1);
}

impl Module {
    /// Adds the imported names and the glob paths of a `use` item to the module.
    fn import(&mut self, tree: &UseTree, prefix: &mut Vec<String>, is_export: bool) {
        let mut path = prefix.clone();
        match tree {
            UseTree::Path(each) => {
                prefix.push(each.ident.to_string());
                self.import(&each.tree, prefix, is_export);
                prefix.pop();
                return;
            }
            UseTree::Group(each) => {
                for tree in &each.items {
                    self.import(tree, prefix, is_export);
                }
                return;
            }
            UseTree::Name(each) => {
                let name = each.ident.to_string();
                if name != "self" {
                    path.push(name);
                }
                let name = path.last().cloned().unwrap_or_default();
                self.imported.insert(name, path.clone());
            }
            UseTree::Rename(each) => {
                path.push(each.ident.to_string());
                self.imported.insert(each.rename.to_string(), path.clone());
            }
            UseTree::Glob(_) => self.globs.push(path.clone()),
        }
        if !is_export {
            self.named.push(path);
        }
    }
}

/// Returns the module that defines the item at a path, and the name of the item. Returns `None` for
/// a path to a module, and for an item of another crate.
fn resolve(
    modules: &BTreeMap<ModulePath, Module>,
    from: &ModulePath,
    path: &[String],
    depth: usize,
) -> Option<(ModulePath, String)> {
    let (first, rest) = path.split_first()?;
    let mut absolute = match first.as_str() {
        "crate" => Vec::new(),
        "self" => from.clone(),
        "super" => from.split_last()?.1.to_vec(),
        _ => {
            let mut child = from.clone();
            child.push(first.clone());
            let imported = modules[from].imported.get(first);
            match imported {
                _ if modules.contains_key(&child) => child,
                // The path of a name that shadows a crate, such as `use log::log`, begins with
                // itself.
                Some(imported) if depth > 0 && imported.first() != Some(first) => {
                    let whole: Vec<String> = imported.iter().chain(rest).cloned().collect();
                    return resolve(modules, from, &whole, depth - 1);
                }
                _ => return None,
            }
        }
    };
    for (number, segment) in rest.iter().enumerate() {
        if segment == "super" {
            absolute.pop()?;
            continue;
        }
        absolute.push(segment.clone());
        if modules.contains_key(&absolute) {
            continue;
        }
        absolute.pop();
        let module = &modules[&absolute];
        if module.defined.contains(segment) || depth == 0 {
            return Some((absolute, segment.clone()));
        }
        if let Some(imported) = module.imported.get(segment) {
            let whole: Vec<String> = imported
                .iter()
                .chain(&rest[number + 1..])
                .cloned()
                .collect();
            return resolve(modules, &absolute, &whole, depth - 1);
        }
        return module.globs.iter().find_map(|glob| {
            let whole: Vec<String> = glob.iter().chain(&rest[number..]).cloned().collect();
            resolve(modules, &absolute, &whole, depth - 1)
        });
    }
    None
}

/// Maximum number of re-exports between a path and the definition of its item.
const MAX_REEXPORTS: usize = 8;

/// Returns the modules that each module uses.
fn uses(modules: &BTreeMap<ModulePath, Module>) -> BTreeMap<&ModulePath, Uses> {
    modules
        .iter()
        .map(|(path, module)| {
            let mut uses = Uses::new();
            for named in &module.named {
                if let Some((used, name)) = resolve(modules, path, named, MAX_REEXPORTS)
                    && used != *path
                {
                    uses.entry(used).or_default().insert(name);
                }
            }
            (path, uses)
        })
        .collect()
}

/// Describes a shortest dependency cycle through each module that is part of a cycle. The function
/// skips a module if a described cycle already contains the module.
fn circles_of(modules: &BTreeMap<ModulePath, Module>) -> Vec<String> {
    let uses = uses(modules);
    let mut described = BTreeSet::new();
    let mut circles = Vec::new();
    for start in modules.keys() {
        let Some(circle) = circle_through(start, &uses) else {
            continue;
        };
        if circle.iter().any(|module| described.contains(*module)) {
            continue;
        }
        let steps: Vec<String> = circle
            .iter()
            .zip(circle.iter().cycle().skip(1))
            .map(|(from, to)| {
                let names: Vec<&str> = uses[*from][*to].iter().map(String::as_str).collect();
                format!(
                    "`{}` uses {} of `{}`",
                    shown(from),
                    names.join(", "),
                    shown(to)
                )
            })
            .collect();
        described.extend(circle);
        circles.push(steps.join(", "));
    }
    circles
}

/// Returns the modules of a shortest dependency cycle through `start`: each module uses the next
/// module, and the last module uses `start`.
fn circle_through<'a>(
    start: &'a ModulePath,
    uses: &'a BTreeMap<&ModulePath, Uses>,
) -> Option<Vec<&'a ModulePath>> {
    let mut before: BTreeMap<&ModulePath, &ModulePath> = BTreeMap::new();
    let mut queue = vec![start];
    let mut next = 0;
    while let Some(&module) = queue.get(next) {
        next += 1;
        for used in uses[module].keys() {
            if used == start {
                let mut circle = vec![module];
                while let Some(&earlier) = before.get(circle[circle.len() - 1]) {
                    circle.push(earlier);
                }
                circle.reverse();
                return Some(circle);
            }
            if !before.contains_key(used) {
                before.insert(used, module);
                queue.push(used);
            }
        }
    }
    None
}

/// Returns the path of a module as Rust code.
fn shown(path: &ModulePath) -> String {
    match path.is_empty() {
        true => "crate".to_owned(),
        false => path.join("::"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the dependency cycles of a crate that consists of one file with the contents `text`.
    fn circles_in(text: &str) -> Vec<String> {
        let mut modules = BTreeMap::new();
        let items = syn::parse_file(text).unwrap().items;
        assert!(
            add(
                items,
                Vec::new(),
                Path::new(""),
                Path::new(""),
                &mut modules
            )
            .is_empty()
        );
        circles_of(&modules)
    }

    #[test]
    fn circles_are_found_through_imports_and_paths() {
        let text = "
            mod a { use super::b::B; pub struct A(B); }
            mod b { pub enum B { X } fn f() { vec![crate::a::A::new()]; } }";
        assert_eq!(circles_in(text), ["`a` uses B of `b`, `b` uses A of `a`"]);
    }

    #[test]
    fn an_import_of_a_reexport_uses_the_module_that_defines_the_item() {
        let text = "
            mod a { pub struct A; mod c { use crate::{B}; pub fn make(_: B) {} } pub use c::make; }
            mod b { use crate::a; pub struct B; fn f() { a::make(); } }
            pub use b::*;";
        assert_eq!(
            circles_in(text),
            ["`a::c` uses B of `b`, `b` uses make of `a::c`"]
        );
    }

    #[test]
    fn a_parent_may_reexport_its_children_and_tests_are_ignored() {
        let text = "
            mod a { pub use self::c::C; pub(crate) const N: usize = 1; mod c { use super::N; pub struct C; } }
            #[cfg(test)] mod tests { use super::a::C; pub struct T; }
            #[cfg(test)] use tests::T;";
        assert_eq!(circles_in(text), Vec::<String>::new());
    }
}
