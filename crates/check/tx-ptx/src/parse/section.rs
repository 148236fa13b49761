//! Parser of debug information.

use super::cursor::Cursor;
use crate::debug::{DataValue, File, Section, SectionLine};
use crate::debug::{Inlined, Location};
use crate::lexer::Kind;
use crate::position::ParseError;

impl Cursor {
    /// `.file 1 "a.mlir", 1700000000, 42`
    pub(super) fn file(&mut self) -> Result<File, ParseError> {
        self.advance();
        let index = self.integer("the number of a file")?;
        let name = self.string("the name of a file, in quotes")?;
        let stamp = if self.eat(',') {
            let time = self.integer("the time of the file's last change")?;
            self.punct(',', "`,` and the size of the file")?;
            Some((time, self.integer("the size of the file")?))
        } else {
            None
        };
        Ok(File { index, name, stamp })
    }

    /// `.loc 1 5 3, function_name $L__info_string0, inlined_at 1 7 2`
    pub(super) fn location(&mut self) -> Result<Location, ParseError> {
        self.advance();
        let (file, line, column) = self.place()?;
        let inlined = if self.eat(',') {
            self.keyword("function_name")?;
            let function_name = self.name("a label of `.debug_str`")?;
            let offset = self.offset()?;
            self.punct(',', "`,` and `inlined_at`")?;
            self.keyword("inlined_at")?;
            let at = self.place()?;
            Some(Inlined {
                function_name,
                offset,
                at,
            })
        } else {
            None
        };
        Ok(Location {
            file,
            line,
            column,
            inlined,
        })
    }

    fn place(&mut self) -> Result<(u64, u64, u64), ParseError> {
        Ok((
            self.integer("the number of a file")?,
            self.integer("a line")?,
            self.integer("a column")?,
        ))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), ParseError> {
        if matches!(self.peek(), Kind::Word(word) if word == keyword) {
            self.advance();
            Ok(())
        } else {
            Err(self.unexpected(format!("`{keyword}`")))
        }
    }

    /// `.section .debug_info { … }`
    pub(super) fn section(&mut self) -> Result<Section, ParseError> {
        self.advance();
        let name = self.dotted("the name of a section, with its dot")?;
        self.punct('{', "`{`")?;
        let mut lines = Vec::new();
        while !self.eat('}') {
            let expected = "data such as `.b32 1`, a label or `}`";
            if matches!(self.peek(), Kind::Word(_)) {
                let name = self.name(expected)?;
                self.punct(':', "`:` after a label")?;
                lines.push(SectionLine::Label(name));
            } else {
                let ty = self.dotted(expected)?;
                let values = self.separated(Cursor::data_value)?;
                lines.push(SectionLine::Data { ty, values });
            }
        }
        Ok(Section { name, lines })
    }

    fn data_value(&mut self) -> Result<DataValue, ParseError> {
        let expected = "a number, a label or a section";
        let name = match self.peek() {
            Kind::Word(_) => self.name(expected)?,
            Kind::Dot(_) => format!(".{}", self.dotted(expected)?),
            _ => {
                let at = self.at();
                return match self.number(expected)? {
                    super::operand::Number::Integer(value) => Ok(DataValue::Integer(value)),
                    _ => Err(ParseError::new(at, "a float", expected)),
                };
            }
        };
        let minus = if self.is('-') && matches!(self.peek_second(), Kind::Word(_)) {
            self.advance();
            Some(self.name("a label")?)
        } else {
            None
        };
        let offset = self.offset()?;
        Ok(DataValue::Symbol {
            name,
            minus,
            offset,
        })
    }
}
