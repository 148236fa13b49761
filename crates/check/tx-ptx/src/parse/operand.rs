//! Parser of instruction operands.

use super::cursor::Cursor;
use crate::instruction::{Address, Operand};
use crate::lexer::Kind;
use crate::position::ParseError;

pub(super) enum Number {
    Integer(i128),
    Single(u32),
    Double(u64),
}

impl Cursor {
    pub(super) fn operand(&mut self) -> Result<Operand, ParseError> {
        if self.eat('!') {
            let operand = self.nested(Cursor::operand)?;
            return Ok(Operand::Not(Box::new(operand)));
        }
        let operand = self.simple_operand()?;
        if self.eat('|') {
            let second = self.simple_operand()?;
            return Ok(Operand::Pair(Box::new(operand), Box::new(second)));
        }
        Ok(operand)
    }

    fn simple_operand(&mut self) -> Result<Operand, ParseError> {
        match self.peek() {
            Kind::Punct('{') => {
                self.advance();
                let all = self.nested(|cursor| cursor.closed('}', Cursor::operand))?;
                Ok(Operand::Vector(all))
            }
            Kind::Punct('(') => {
                self.advance();
                let all = self.nested(|cursor| cursor.closed(')', Cursor::operand))?;
                Ok(Operand::List(all))
            }
            Kind::Punct('[') => {
                self.advance();
                let address = self.nested(Cursor::address)?;
                Ok(Operand::Address(address))
            }
            Kind::Word(_) => {
                let word = self.word("an operand")?;
                if word.starts_with('%') {
                    return Ok(Operand::Register(word));
                }
                match self.offset()? {
                    0 => Ok(Operand::Symbol(word)),
                    offset => Ok(Operand::Offset {
                        symbol: word,
                        offset,
                    }),
                }
            }
            _ => Ok(match self.number("an operand")? {
                Number::Integer(value) => Operand::Integer(value),
                Number::Single(bits) => Operand::Single(bits),
                Number::Double(bits) => Operand::Double(bits),
            }),
        }
    }

    /// Parses an address whose opening bracket is already consumed.
    fn address(&mut self) -> Result<Address, ParseError> {
        let expected = "a register, a variable or a number as address";
        let base = match self.peek() {
            Kind::Word(_) => {
                let word = self.word(expected)?;
                if word.starts_with('%') {
                    Operand::Register(word)
                } else {
                    Operand::Symbol(word)
                }
            }
            Kind::Integer(_) => Operand::Integer(i128::from(self.integer(expected)?)),
            _ => return Err(self.unexpected(expected)),
        };
        let offset = self.offset()?;
        let mut rest = Vec::new();
        while self.eat(',') {
            rest.push(self.operand()?);
        }
        self.punct(']', "`]`")?;
        Ok(Address {
            base: Box::new(base),
            offset,
            rest,
        })
    }

    /// Parses a number with an optional minus sign.
    pub(super) fn number(&mut self, expected: &str) -> Result<Number, ParseError> {
        let negative = self.eat('-');
        let number = match self.peek() {
            Kind::Integer(value) => {
                let value = i128::from(*value);
                Number::Integer(if negative { -value } else { value })
            }
            Kind::Decimal(text) => match text.parse::<f64>() {
                Ok(value) => Number::Double(if negative { -value } else { value }.to_bits()),
                Err(_) => return Err(self.unexpected(expected)),
            },
            // The bits of a hexadecimal float literal include its sign.
            Kind::Single(bits) if !negative => Number::Single(*bits),
            Kind::Double(bits) if !negative => Number::Double(*bits),
            _ => return Err(self.unexpected(expected)),
        };
        self.advance();
        Ok(number)
    }
}
