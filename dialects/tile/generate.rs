//! Generates Rust enums and structs for the attributes of the dialect, and the C++ accessor
//! functions that the Rust code calls. The input is the output of `llvm-tblgen --dump-json
//! Tile.td`.

use serde_json::Value;
use std::fmt::Write as _;

pub(crate) struct Generated {
    pub(crate) rust: String,
    pub(crate) cpp: String,
}

fn record<'j>(json: &'j Value, name: &str) -> &'j Value {
    let record = &json[name];
    assert!(record.is_object(), "Tile.td has no record `{name}`");
    record
}

fn text<'j>(record: &'j Value, field: &str) -> &'j str {
    record[field]
        .as_str()
        .unwrap_or_else(|| panic!("`{field}` of `{}` is no string", record["!name"]))
}

/// Returns the records of a TableGen class, in the order of `Tile.td`.
fn instances<'j>(json: &'j Value, class: &str) -> Vec<&'j Value> {
    let names = json["!instanceof"][class].as_array();
    let names = names.unwrap_or_else(|| panic!("there is no class `{class}`"));
    let own = |name: &&str| name.starts_with("Tile_");
    let mut found: Vec<&Value> = names
        .iter()
        .filter_map(Value::as_str)
        .filter(own)
        .map(|name| record(json, name))
        .collect();
    found.sort_by_key(|record| {
        let place = record["!locs"][0].as_str().unwrap_or_default();
        let line = place.rsplit(':').next().and_then(|line| line.parse().ok());
        line.unwrap_or(usize::MAX)
    });
    found
}

/// Returns the arguments of a TableGen DAG: pairs of type and name.
fn arguments(dag: &Value) -> Vec<(&Value, &str)> {
    let arguments = dag["args"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let each = arguments.iter();
    each.map(|argument| (&argument[0], argument[1].as_str().unwrap_or_default()))
        .collect()
}

/// Type of an attribute parameter; the type determines the Rust type and the C type of the
/// parameter.
#[derive(Clone)]
enum Parameter {
    Integer,
    String,
    Strings,
    Attribute,
    Enum(String),
}

impl Parameter {
    /// Returns the variant of `Parameter` for the C++ type of a parameter, or `None` for an
    /// unsupported type.
    fn of(json: &Value, ty: &Value) -> Option<Self> {
        let cpp = ty.as_str().or_else(|| {
            let name = ty["def"].as_str()?;
            record(json, name)["cppType"].as_str()
        })?;
        Some(match cpp {
            "int64_t" => Self::Integer,
            "::llvm::StringRef" => Self::String,
            "::llvm::ArrayRef<::mlir::StringAttr>" => Self::Strings,
            "::mlir::ArrayAttr" => Self::Attribute,
            _ => Self::Enum(
                cpp.strip_prefix("::tx::tile::")
                    .filter(|name| *name != "IterAttr")?
                    .to_owned(),
            ),
        })
    }

    fn rust(&self) -> String {
        match self {
            Self::Integer => "i64".to_owned(),
            Self::String => "String".to_owned(),
            Self::Strings => "Vec<String>".to_owned(),
            Self::Attribute => "Attribute<'c>".to_owned(),
            Self::Enum(name) => name.clone(),
        }
    }
}

/// Returns a Rust identifier for a parameter name. For example, the function returns `r#loop` for
/// the name `loop`, because `loop` is a Rust keyword.
fn identifier(name: &str) -> String {
    match name {
        "loop" => "r#loop".to_owned(),
        name => name.to_owned(),
    }
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

pub(crate) fn generate(json: &Value) -> Generated {
    let mut made = Generated {
        rust: String::new(),
        cpp: "using namespace tx::tile;\nextern \"C\" {\n".to_owned(),
    };
    for info in instances(json, "Tile_Enum") {
        enumeration(json, info, &mut made.rust);
    }
    let mut externs = String::new();
    // The attribute of layout entries has no accessors, because `tileFragment` returns all layout
    // entries as numbers.
    let is_typed = |attribute: &&Value| text(attribute, "mnemonic") != "iter";
    for attribute in instances(json, "AttrDef").into_iter().filter(is_typed) {
        let parameters = arguments(&attribute["parameters"]);
        let typed: Option<Vec<(String, Parameter)>> = parameters
            .iter()
            .map(|(ty, name)| Some(((*name).to_owned(), Parameter::of(json, ty)?)))
            .collect();
        let Some(parameters) = typed else { continue };
        c_functions(attribute, &parameters, &mut made.cpp, &mut externs);
        match &parameters[..] {
            [(_, Parameter::Enum(name))] if attribute["enum"].is_object() => {
                enum_attribute(attribute, name, &mut made.rust);
            }
            _ => structure(attribute, &parameters, &mut made.rust),
        }
    }
    made.cpp += "}\n";
    let _ = write!(made.rust, "unsafe extern \"C\" {{\n{externs}}}\n");
    let ops: Vec<(String, Vec<&str>)> = instances(json, "Op")
        .iter()
        .map(|op| attributes_of(json, op))
        .collect();
    assert!(ops.iter().any(|(_, names)| names.len() > 9), "{ops:?}");
    made.rust += "/// Each op of the dialect with the sorted names of its attributes.\npub(crate) const OPS: \
                  &[(&str, &[&str])] = &[";
    for (op, names) in ops {
        let _ = write!(made.rust, "({op:?}, &{names:?}), ");
    }
    made.rust += "];\n";
    made
}

/// Returns the name of an op and the sorted names of its attributes.
fn attributes_of<'j>(json: &'j Value, op: &'j Value) -> (String, Vec<&'j str>) {
    let is_attribute = |ty: &Value| {
        let name = ty["def"].as_str().unwrap_or_default();
        let classes = json[name]["!superclasses"].as_array();
        classes.is_some_and(|classes| classes.iter().any(|class| class == "Attr"))
    };
    let arguments = arguments(&op["arguments"]);
    let own = arguments.into_iter().filter(|(ty, _)| is_attribute(ty));
    let mut names: Vec<&str> = own.map(|(_, name)| name).collect();
    names.sort_unstable();
    (format!("tile.{}", text(op, "opName")), names)
}

fn enumeration(json: &Value, info: &Value, rust: &mut String) {
    let name = text(info, "className");
    let list = |field: &str| -> Vec<String> {
        let items = info[field]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        items
            .iter()
            .map(|item| item.as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let cases = info["enumerants"]
        .as_array()
        .expect("an enumeration has values");
    let words: Vec<&str> = cases
        .iter()
        .map(|case| {
            text(
                record(json, case["def"].as_str().unwrap_or_default()),
                "str",
            )
        })
        .collect();
    let (variants, docs) = (list("variants"), list("docs"));
    assert!(
        variants.len() == words.len() && docs.len() == words.len(),
        "`{name}` has {} values, {} variants and {} docs",
        words.len(),
        variants.len(),
        docs.len()
    );
    let summary = capitalized(text(info, "summary"));
    let _ = writeln!(
        rust,
        "/// {summary}.\n#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]\npub enum {name} {{"
    );
    for (variant, doc) in variants.iter().zip(&docs) {
        let _ = writeln!(rust, "/// {doc}\n{variant},");
    }
    let all: Vec<String> = variants
        .iter()
        .map(|variant| format!("Self::{variant}"))
        .collect();
    let _ = writeln!(
        rust,
        "}}\nimpl {name} {{
            /// All values of the enum, in the order of `Tile.td`.
            pub const ALL: &'static [Self] = &[{}];
            const WORDS: &'static [&'static str] = &{words:?};
            /// Returns the keyword of the value in the syntax of the dialect.
            pub fn name(self) -> &'static str {{ Self::WORDS[self as usize] }}
            /// Returns the value of a keyword, or `None` for an unknown keyword.
            pub fn parse(text: &str) -> Option<Self> {{
                Self::ALL.iter().copied().find(|v| v.name() == text)
            }}
        }}
        impl std::fmt::Display for {name} {{
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{ f.write_str(self.name()) }}
        }}",
        all.join(", ")
    );
}

fn enum_attribute(attribute: &Value, name: &str, rust: &mut String) {
    let (mnemonic, class) = (text(attribute, "mnemonic"), c_name(attribute));
    let _ = writeln!(
        rust,
        "impl {name} {{
            /// Returns the value of a `#tile.{mnemonic}`, or `None` for another attribute.
            pub fn of(attribute: Attribute<'_>) -> Option<Self> {{
                // SAFETY: the attribute is valid as long as its context. The value of the attribute
                // is read only if the attribute has the right kind.
                let raw = attribute.to_raw();
                let value = unsafe {{ {class}Is(raw).then(|| {class}Value(raw)) }}?;
                usize::try_from(value).ok().and_then(|value| Self::ALL.get(value)).copied()
            }}
            /// Returns the `#tile.{mnemonic}` attribute of the value.
            pub fn to_attribute(self, context: &Context) -> Attribute<'_> {{
                // SAFETY: the context is valid.
                unsafe {{ Attribute::from_raw({class}Get(context.to_raw(), self as i64)) }}
            }}
        }}"
    );
}

/// Returns the prefix of the C accessor names of an attribute.
fn c_name(attribute: &Value) -> String {
    let class = text(attribute, "cppClassName");
    format!("tile{}", class.strip_suffix("Attr").unwrap_or(class))
}

fn c_functions(
    attribute: &Value,
    parameters: &[(String, Parameter)],
    cpp: &mut String,
    externs: &mut String,
) {
    let (class, name) = (text(attribute, "cppClassName"), c_name(attribute));
    let _ = writeln!(
        cpp,
        "bool {name}Is(MlirAttribute a) {{ return isa<{class}>(unwrap(a)); }}"
    );
    let _ = writeln!(externs, "fn {name}Is(a: MlirAttribute) -> bool;");
    let (mut c_arguments, mut values, mut rust_arguments) =
        (String::new(), String::new(), String::new());
    for (parameter, ty) in parameters {
        let upper = capitalized(parameter);
        let get = format!("cast<{class}>(unwrap(a)).get{upper}()");
        let (c_type, rust_type, wrapped, unwrapped) = match ty {
            Parameter::Integer => ("int64_t", "i64", get.clone(), parameter.clone()),
            Parameter::String => (
                "MlirStringRef",
                "MlirStringRef",
                format!("wrap({get})"),
                format!("unwrap({parameter})"),
            ),
            Parameter::Attribute => (
                "MlirAttribute",
                "MlirAttribute",
                format!("wrap({get})"),
                format!("cast<ArrayAttr>(unwrap({parameter}))"),
            ),
            Parameter::Enum(of) => (
                "int64_t",
                "i64",
                format!("static_cast<int64_t>({get})"),
                format!("static_cast<{of}>({parameter})"),
            ),
            Parameter::Strings => {
                let _ = writeln!(
                    cpp,
                    "size_t {name}{upper}Size(MlirAttribute a) {{ return {get}.size(); }}"
                );
                let _ = writeln!(
                    cpp,
                    "MlirStringRef {name}{upper}(MlirAttribute a, size_t i) {{ return \
                     wrap({get}[i].getValue()); }}"
                );
                let _ = writeln!(externs, "fn {name}{upper}Size(a: MlirAttribute) -> usize;");
                let _ = writeln!(
                    externs,
                    "fn {name}{upper}(a: MlirAttribute, i: usize) -> MlirStringRef;"
                );
                let _ = write!(
                    c_arguments,
                    ", const MlirStringRef *{parameter}, size_t {parameter}Size"
                );
                let _ = write!(
                    rust_arguments,
                    ", {parameter}: *const MlirStringRef, size: usize"
                );
                let _ = write!(
                    values,
                    ", llvm::map_to_vector(ArrayRef({parameter}, {parameter}Size), \
                     [&](MlirStringRef s) {{ return StringAttr::get(unwrap(context), unwrap(s)); }})"
                );
                continue;
            }
        };
        let _ = writeln!(
            cpp,
            "{c_type} {name}{upper}(MlirAttribute a) {{ return {wrapped}; }}"
        );
        let _ = writeln!(
            externs,
            "fn {name}{upper}(a: MlirAttribute) -> {rust_type};"
        );
        let _ = write!(c_arguments, ", {c_type} {parameter}");
        let _ = write!(rust_arguments, ", {}: {rust_type}", identifier(parameter));
        let _ = write!(values, ", {unwrapped}");
    }
    let _ = writeln!(
        cpp,
        "MlirAttribute {name}Get(MlirContext context{c_arguments}) {{ return \
         wrap({class}::get(unwrap(context){values})); }}"
    );
    let _ = writeln!(
        externs,
        "fn {name}Get(context: MlirContext{rust_arguments}) -> MlirAttribute;"
    );
}

fn structure(attribute: &Value, parameters: &[(String, Parameter)], rust: &mut String) {
    let (mnemonic, function) = (text(attribute, "mnemonic"), c_name(attribute));
    let name = function
        .strip_prefix("tile")
        .unwrap_or(&function)
        .to_owned();
    let holds_attributes = parameters
        .iter()
        .any(|(_, ty)| matches!(ty, Parameter::Attribute));
    let (lifetime, traits) = match holds_attributes {
        true => ("<'c>", "Debug, Clone, PartialEq"),
        false => ("", "Debug, Clone, PartialEq, Eq"),
    };
    let summary = text(attribute, "summary");
    let _ = write!(
        rust,
        "/// `#tile.{mnemonic}`: {summary}.\n#[derive({traits})]\npub struct {name}{lifetime}"
    );
    match parameters {
        [] => *rust += ";\n",
        _ => {
            *rust += " {\n";
            for (parameter, ty) in parameters {
                let _ = writeln!(
                    rust,
                    "/// The parameter `{parameter}`.\npub {}: {},",
                    identifier(parameter),
                    ty.rust()
                );
            }
            *rust += "}\n";
        }
    }
    let (mut reads, mut passes, mut before) = (String::new(), String::new(), String::new());
    for (parameter, ty) in parameters {
        let (field, upper) = (identifier(parameter), capitalized(parameter));
        let call = format!("{function}{upper}(raw)");
        let (read, pass) = match ty {
            Parameter::Integer => (call, format!("self.{field}")),
            Parameter::String => (format!("owned({call})"), format!("borrowed(&self.{field})")),
            Parameter::Attribute => (
                format!("Attribute::from_raw({call})"),
                format!("self.{field}.to_raw()"),
            ),
            Parameter::Enum(of) => (
                format!("*{of}::ALL.get(usize::try_from({call}).ok()?)?"),
                format!("self.{field} as i64"),
            ),
            Parameter::Strings => {
                let _ = writeln!(
                    before,
                    "let {parameter}: Vec<MlirStringRef> = self.{field}.iter().map(|text| \
                     borrowed(text)).collect();"
                );
                (
                    format!(
                        "(0..{function}{upper}Size(raw)).map(|i| owned({function}{upper}(raw, i))).collect()"
                    ),
                    format!("{parameter}.as_ptr(), {parameter}.len()"),
                )
            }
        };
        let _ = writeln!(reads, "{field}: {read},");
        let _ = write!(passes, ", {pass}");
    }
    let (of_lifetime, attribute_type, result) = match holds_attributes {
        true => (
            "<'c>",
            "Attribute<'c>",
            "pub fn to_attribute(&self, context: &'c Context) -> Attribute<'c>",
        ),
        false => (
            "",
            "Attribute<'_>",
            "pub fn to_attribute<'c>(&self, context: &'c Context) -> Attribute<'c>",
        ),
    };
    let made = match parameters {
        [] => "Self".to_owned(),
        _ => format!("Self {{\n{reads}}}"),
    };
    let _ = writeln!(
        rust,
        "impl{of_lifetime} {name}{lifetime} {{
            /// Returns the parameters of a `#tile.{mnemonic}`, or `None` for another attribute.
            pub fn of(attribute: {attribute_type}) -> Option<Self> {{
                let raw = attribute.to_raw();
                // SAFETY: the attribute is valid as long as its context. The parameters of the
                // attribute are read only if the attribute has the right kind.
                unsafe {{ if !{function}Is(raw) {{ return None; }} Some({made}) }}
            }}
            /// Returns the attribute with the given parameters.
            {result} {{
                {before}
                // SAFETY: the context is valid, and texts are valid during the call.
                unsafe {{ Attribute::from_raw({function}Get(context.to_raw(){passes})) }}
            }}
        }}"
    );
}
