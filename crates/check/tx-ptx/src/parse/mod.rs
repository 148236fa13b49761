//! Parser that converts tokens to a module.

mod cursor;
mod declaration;
mod operand;
mod section;
mod statement;

use crate::declaration::Linkage;
use crate::lexer::Kind;
use crate::module::{Function, FunctionDirective, Item, Module};
use crate::position::ParseError;
use cursor::Cursor;

impl Module {
    /// Parses a module.
    ///
    /// The parser checks only the syntax, and accepts unknown opcodes and modifiers. Comments are
    /// dropped, except for the markers of inline assembly.
    ///
    /// ```
    /// let text = ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry f() { ret; }";
    /// let module = tx_ptx::Module::parse(text)?;
    /// assert_eq!(module.entries().next().map(|f| f.name.as_str()), Some("f"));
    ///
    /// let error = tx_ptx::Module::parse(&text.replace("ret;", "ret")).unwrap_err();
    /// assert_eq!(error.to_string(), "line 4, column 27: found `}`, expected an operand or `;`");
    /// # Ok::<(), tx_ptx::ParseError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Module, ParseError> {
        Cursor::new(text)?.module()
    }
}

impl Cursor {
    fn module(&mut self) -> Result<Module, ParseError> {
        let version = "`.version`, with which a module begins";
        if !self.dot("version") {
            return Err(self.unexpected(version));
        }
        let version = self.version()?;
        if !self.dot("target") {
            return Err(self.unexpected("`.target`, which follows the version"));
        }
        let target = self.separated(|cursor| cursor.name("a chip such as `sm_90`"))?;
        let address_size = if self.dot("address_size") {
            Some(self.integer("32 or 64")?)
        } else {
            None
        };
        let mut items = Vec::new();
        while *self.peek() != Kind::End {
            items.push(self.item()?);
        }
        Ok(Module {
            version,
            target,
            address_size,
            items,
        })
    }

    fn version(&mut self) -> Result<(u32, u32), ParseError> {
        let expected = "a version such as `8.7`";
        let Kind::Decimal(text) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let version = text.split_once('.').and_then(|(major, minor)| {
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        });
        match version {
            Some(version) => {
                self.advance();
                Ok(version)
            }
            None => Err(self.unexpected(expected)),
        }
    }

    fn item(&mut self) -> Result<Item, ParseError> {
        let linkage = self.linkage();
        let expected = if linkage.is_empty() {
            "`.entry`, `.func`, a variable or another directive"
        } else {
            "`.entry`, `.func` or a variable"
        };
        let Kind::Dot(name) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        match name.as_str() {
            "entry" | "func" => {
                let entry = name == "entry";
                self.advance();
                Ok(Item::Function(self.function(linkage, entry)?))
            }
            "global" | "const" | "shared" | "local" | "param" | "reg" | "tex" | "surf" => {
                let variable = self.variables(linkage)?;
                Ok(Item::Variable(variable))
            }
            _ if !linkage.is_empty() => Err(self.unexpected(expected)),
            "alias" => {
                self.advance();
                let name = self.name("the new name")?;
                self.punct(',', "`,` and the function that it names")?;
                let target = self.name("the function that it names")?;
                self.punct(';', "`;`")?;
                Ok(Item::Alias { name, target })
            }
            "pragma" => Ok(Item::Pragma(self.pragma()?)),
            "file" => Ok(Item::File(self.file()?)),
            "section" => Ok(Item::Section(self.section()?)),
            _ => Err(self.unexpected(expected)),
        }
    }

    fn linkage(&mut self) -> Vec<Linkage> {
        let mut linkage = Vec::new();
        while let Kind::Dot(name) = self.peek() {
            linkage.push(match name.as_str() {
                "visible" => Linkage::Visible,
                "extern" => Linkage::Extern,
                "weak" => Linkage::Weak,
                "common" => Linkage::Common,
                _ => break,
            });
            self.advance();
        }
        linkage
    }

    fn function(&mut self, linkage: Vec<Linkage>, entry: bool) -> Result<Function, ParseError> {
        let returns = if !entry && self.is('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let at = self.at();
        let name = self.name("the name of a function")?;
        let parameters = if self.is('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let mut directives = Vec::new();
        while matches!(self.peek(), Kind::Dot(_)) {
            directives.push(self.function_directive()?);
        }
        let body = if self.eat(';') {
            None
        } else {
            Some(self.scope("`{` before a body, or `;` after a declaration")?)
        };
        Ok(Function {
            linkage,
            entry,
            name,
            returns,
            parameters,
            directives,
            body,
            at,
        })
    }

    fn function_directive(&mut self) -> Result<FunctionDirective, ParseError> {
        let name = self.dotted("a directive")?;
        match name.as_str() {
            "pragma" => {
                self.back();
                Ok(FunctionDirective::Pragma(self.pragma()?))
            }
            "attribute" => {
                self.back();
                Ok(FunctionDirective::Attributes(self.attributes()?))
            }
            _ => {
                let values = if matches!(self.peek(), Kind::Integer(_)) {
                    self.separated(|cursor| cursor.integer("a number"))?
                } else {
                    Vec::new()
                };
                Ok(FunctionDirective::Numbers { name, values })
            }
        }
    }

    /// `.pragma "a", "b";`
    fn pragma(&mut self) -> Result<Vec<String>, ParseError> {
        self.advance();
        let texts = self.separated(|cursor| cursor.string("a string"))?;
        self.punct(';', "`,` or `;`")?;
        Ok(texts)
    }
}
