//! Parser of declarations: registers, variables, parameters.

use super::cursor::Cursor;
use crate::declaration::{Attribute, Declaration, Declarator, Initializer, Linkage, Pointer};
use crate::lexer::Kind;
use crate::position::ParseError;

impl Cursor {
    /// `.reg .b32 %r<5>, %x;`
    pub(super) fn variables(&mut self, linkage: Vec<Linkage>) -> Result<Declaration, ParseError> {
        let mut declaration = self.declared(linkage)?;
        declaration.names = self.separated(Cursor::declarator)?;
        self.punct(';', "`,` or `;`")?;
        Ok(declaration)
    }

    /// `(.param .u64 a, .param .u64 b)`
    pub(super) fn parameters(&mut self) -> Result<Vec<Declaration>, ParseError> {
        self.punct('(', "`(`")?;
        self.closed(')', |cursor| {
            let mut declaration = cursor.declared(Vec::new())?;
            declaration.names = vec![cursor.declarator()?];
            Ok(declaration)
        })
    }

    /// Consumes the part of a declaration that precedes the declared names.
    fn declared(&mut self, linkage: Vec<Linkage>) -> Result<Declaration, ParseError> {
        let mut declaration = Declaration {
            linkage,
            space: self.dotted("a state space such as `.param`")?,
            attributes: Vec::new(),
            align: None,
            vector: None,
            ty: String::new(),
            pointer: None,
            names: Vec::new(),
        };
        loop {
            let expected = if declaration.ty.is_empty() {
                "a type such as `.b32`"
            } else {
                "a name"
            };
            let Kind::Dot(word) = self.peek() else {
                if declaration.ty.is_empty() {
                    return Err(self.unexpected(expected));
                }
                return Ok(declaration);
            };
            match word.as_str() {
                "attribute" if declaration.attributes.is_empty() => {
                    declaration.attributes = self.attributes()?;
                }
                "align" if declaration.align.is_none() => {
                    self.advance();
                    declaration.align = Some(self.integer("an alignment in bytes")?);
                }
                "v2" | "v4" | "v8" if declaration.vector.is_none() => {
                    declaration.vector = word[1..].parse().ok();
                    self.advance();
                }
                "ptr" if !declaration.ty.is_empty() && declaration.pointer.is_none() => {
                    self.advance();
                    declaration.pointer = Some(self.pointer()?);
                }
                // A duplicate property, or a property before the type.
                "attribute" | "align" | "v2" | "v4" | "v8" | "ptr" => {
                    return Err(self.unexpected(expected));
                }
                _ if declaration.ty.is_empty() => declaration.ty = self.dotted(expected)?,
                _ => return Err(self.unexpected(expected)),
            }
        }
    }

    fn pointer(&mut self) -> Result<Pointer, ParseError> {
        let mut pointer = Pointer {
            space: None,
            align: None,
        };
        if let Kind::Dot(word) = self.peek()
            && word != "align"
        {
            pointer.space = Some(word.clone());
            self.advance();
        }
        if self.dot("align") {
            pointer.align = Some(self.integer("an alignment in bytes")?);
        }
        Ok(pointer)
    }

    fn declarator(&mut self) -> Result<Declarator, ParseError> {
        let mut declarator = Declarator {
            name: self.name("a name")?,
            count: None,
            sizes: Vec::new(),
            initializer: None,
        };
        if self.eat('<') {
            declarator.count = Some(self.integer("how many registers")?);
            self.punct('>', "`>`")?;
        }
        while self.eat('[') {
            declarator.sizes.push(if self.is(']') {
                None
            } else {
                Some(self.integer("a size or `]`")?)
            });
            self.punct(']', "`]`")?;
        }
        if self.eat('=') {
            declarator.initializer = Some(self.initializer()?);
        }
        Ok(declarator)
    }

    fn initializer(&mut self) -> Result<Initializer, ParseError> {
        let expected = "a number, a name or `{`";
        match self.peek().clone() {
            Kind::Punct('{') => {
                self.advance();
                let all = self.nested(|cursor| cursor.closed('}', Cursor::initializer))?;
                Ok(Initializer::List(all))
            }
            Kind::Integer(mask) if *self.peek_second() == Kind::Punct('(') => {
                self.advance();
                self.advance();
                let value = self.nested(Cursor::initializer)?;
                self.punct(')', "`)`")?;
                Ok(Initializer::Masked {
                    mask,
                    value: Box::new(value),
                })
            }
            Kind::Word(word) if word == "generic" && *self.peek_second() == Kind::Punct('(') => {
                self.advance();
                self.advance();
                let name = self.name("a name")?;
                self.punct(')', "`)`")?;
                let offset = self.offset()?;
                Ok(Initializer::Generic { name, offset })
            }
            Kind::Word(_) => {
                let name = self.name(expected)?;
                if self.eat('=') {
                    let value = Box::new(self.nested(Cursor::initializer)?);
                    return Ok(Initializer::Field { name, value });
                }
                let offset = self.offset()?;
                Ok(Initializer::Symbol { name, offset })
            }
            _ => match self.number(expected)? {
                super::operand::Number::Integer(value) => Ok(Initializer::Integer(value)),
                super::operand::Number::Single(bits) => Ok(Initializer::Single(bits)),
                super::operand::Number::Double(bits) => Ok(Initializer::Double(bits)),
            },
        }
    }

    /// `.attribute(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute>, ParseError> {
        self.advance();
        self.punct('(', "`(`")?;
        self.closed(')', |cursor| {
            let name = cursor.dotted("an attribute such as `.managed`")?;
            let values = if cursor.eat('(') {
                cursor.closed(')', |cursor| cursor.integer("a number"))?
            } else {
                Vec::new()
            };
            Ok(Attribute { name, values })
        })
    }
}
