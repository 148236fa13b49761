//! Parser of function bodies.

use super::cursor::{Cursor, Marker};
use crate::instruction::{Guard, Instruction, Opcode, Statement};
use crate::lexer::Kind;
use crate::position::ParseError;

impl Cursor {
    /// `{ … }`
    pub(super) fn scope(&mut self, expected: &str) -> Result<Vec<Statement>, ParseError> {
        self.punct('{', expected)?;
        let mut statements = Vec::new();
        loop {
            match self.marker() {
                Some(Marker::Begin) => {
                    statements.push(Statement::InlineAsmBegin);
                    continue;
                }
                Some(Marker::End) => {
                    statements.push(Statement::InlineAsmEnd);
                    continue;
                }
                None => {}
            }
            if self.eat('}') {
                return Ok(statements);
            }
            statements.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Result<Statement, ParseError> {
        let expected = "an instruction, a label, a declaration or `}`";
        match self.peek() {
            Kind::Punct('{') => {
                let statements = self.nested(|cursor| cursor.scope("`{`"))?;
                Ok(Statement::Scope(statements))
            }
            Kind::Punct('@') => Ok(Statement::Instruction(self.instruction()?)),
            Kind::Word(_) if *self.peek_second() == Kind::Punct(':') => {
                let at = self.at();
                let name = self.name("a label")?;
                self.advance();
                Ok(Statement::Label { name, at })
            }
            Kind::Word(_) => Ok(Statement::Instruction(self.instruction()?)),
            Kind::Dot(name) => match name.as_str() {
                "reg" | "local" | "shared" | "global" | "const" | "param" | "sreg" | "tex" => {
                    Ok(Statement::Declaration(self.variables(Vec::new())?))
                }
                "branchtargets" => Ok(Statement::BranchTargets(self.targets("a label")?)),
                "calltargets" => Ok(Statement::CallTargets(self.targets("a function")?)),
                "callprototype" => self.prototype(),
                "pragma" => Ok(Statement::Pragma(self.pragma()?)),
                "loc" => Ok(Statement::Location(self.location()?)),
                "file" => Ok(Statement::File(self.file()?)),
                _ => Err(self.unexpected(expected)),
            },
            _ => Err(self.unexpected(expected)),
        }
    }

    fn instruction(&mut self) -> Result<Instruction, ParseError> {
        let at = self.at();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            let register = self.name("a predicate")?;
            Some(Guard { negated, register })
        } else {
            None
        };
        match self.peek() {
            Kind::Word(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {}
            _ => return Err(self.unexpected("an instruction")),
        }
        let opcode = Opcode::new(self.word("an instruction")?);
        let operands = if self.eat(';') {
            Vec::new()
        } else if self.is('}') || *self.peek() == Kind::End {
            return Err(self.unexpected("an operand or `;`"));
        } else {
            let operands = self.separated(Cursor::operand)?;
            self.punct(';', "`,` or `;`")?;
            operands
        };
        Ok(Instruction {
            guard,
            opcode,
            operands,
            at,
        })
    }

    fn targets(&mut self, expected: &str) -> Result<Vec<String>, ParseError> {
        self.advance();
        let targets = self.separated(|cursor| cursor.name(expected))?;
        self.punct(';', "`,` or `;`")?;
        Ok(targets)
    }

    fn prototype(&mut self) -> Result<Statement, ParseError> {
        self.advance();
        let returns = if self.is('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        self.name("`_` in place of a name")?;
        let parameters = if self.is('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let noreturn = self.dot("noreturn");
        self.punct(';', "`;`")?;
        Ok(Statement::CallPrototype {
            returns,
            parameters,
            noreturn,
        })
    }
}
