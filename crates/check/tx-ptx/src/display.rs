//! Formatting of a module as text, in the layout of LLVM.

use std::fmt::{self, Display, Formatter};

use crate::debug::Location;
use crate::debug::{DataValue, File, Section, SectionLine};
use crate::declaration::{Attribute, Declaration, Declarator, Initializer, Linkage};
use crate::instruction::{Address, Guard, Instruction, Opcode, Operand, Statement};
use crate::lexer::{ASM_BEGIN, ASM_END};
use crate::module::{Function, FunctionDirective, Item, Module};

fn join<T: Display>(
    f: &mut Formatter<'_>,
    all: impl IntoIterator<Item = T>,
    between: &str,
) -> fmt::Result {
    for (index, each) in all.into_iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        write!(f, "{each}")?;
    }
    Ok(())
}

fn offset(f: &mut Formatter<'_>, offset: i64) -> fmt::Result {
    if offset == 0 {
        return Ok(());
    }
    write!(f, "+{offset}")
}

fn strings(f: &mut Formatter<'_>, texts: &[String]) -> fmt::Result {
    f.write_str(".pragma ")?;
    join(f, texts.iter().map(|text| format!("\"{text}\"")), ", ")?;
    f.write_str(";")
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        f.write_str(".target ")?;
        join(f, &self.target, ", ")?;
        f.write_str("\n")?;
        if let Some(bits) = self.address_size {
            writeln!(f, ".address_size {bits}")?;
        }
        for item in &self.items {
            writeln!(f, "\n{item}")?;
        }
        Ok(())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Function(function) => function.fmt(f),
            Item::Variable(variable) => write!(f, "{variable};"),
            Item::Alias { name, target } => write!(f, ".alias {name}, {target};"),
            Item::Pragma(texts) => strings(f, texts),
            Item::File(file) => file.fmt(f),
            Item::Section(section) => section.fmt(f),
        }
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linkage::Visible => ".visible",
            Linkage::Extern => ".extern",
            Linkage::Weak => ".weak",
            Linkage::Common => ".common",
        })
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for linkage in &self.linkage {
            write!(f, "{linkage} ")?;
        }
        f.write_str(if self.entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            f.write_str("(")?;
            join(f, &self.returns, ", ")?;
            f.write_str(") ")?;
        }
        write!(f, "{}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            f.write_str(if index == 0 { "\n\t" } else { ",\n\t" })?;
            parameter.fmt(f)?;
        }
        f.write_str(if self.parameters.is_empty() {
            ")\n"
        } else {
            "\n)\n"
        })?;
        for directive in &self.directives {
            writeln!(f, "{directive}")?;
        }
        match &self.body {
            None => f.write_str(";"),
            Some(body) => {
                f.write_str("{\n")?;
                statements(f, body)?;
                f.write_str("}")
            }
        }
    }
}

impl Display for FunctionDirective {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            FunctionDirective::Numbers { name, values } => {
                write!(f, ".{name}")?;
                if !values.is_empty() {
                    f.write_str(" ")?;
                }
                join(f, values, ", ")
            }
            FunctionDirective::Pragma(texts) => strings(f, texts),
            FunctionDirective::Attributes(all) => attributes(f, all),
        }
    }
}

fn attributes(f: &mut Formatter<'_>, all: &[Attribute]) -> fmt::Result {
    f.write_str(".attribute(")?;
    join(f, all, ", ")?;
    f.write_str(")")
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name)?;
        if self.values.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        join(f, &self.values, ", ")?;
        f.write_str(")")
    }
}

impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for linkage in &self.linkage {
            write!(f, "{linkage} ")?;
        }
        write!(f, ".{} ", self.space)?;
        if !self.attributes.is_empty() {
            attributes(f, &self.attributes)?;
            f.write_str(" ")?;
        }
        if let Some(align) = self.align {
            write!(f, ".align {align} ")?;
        }
        if let Some(vector) = self.vector {
            write!(f, ".v{vector} ")?;
        }
        write!(f, ".{} ", self.ty)?;
        if let Some(pointer) = &self.pointer {
            f.write_str(".ptr ")?;
            if let Some(space) = &pointer.space {
                write!(f, ".{space} ")?;
            }
            if let Some(align) = pointer.align {
                write!(f, ".align {align} ")?;
            }
        }
        join(f, &self.names, ", ")
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(count) = self.count {
            write!(f, "<{count}>")?;
        }
        for size in &self.sizes {
            match size {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.initializer {
            Some(initializer) => write!(f, " = {initializer}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Integer(value) => value.fmt(f),
            Initializer::Single(bits) => write!(f, "0f{bits:08X}"),
            Initializer::Double(bits) => write!(f, "0d{bits:016X}"),
            Initializer::Symbol { name, offset: by } => {
                f.write_str(name)?;
                offset(f, *by)
            }
            Initializer::Generic { name, offset: by } => {
                write!(f, "generic({name})")?;
                offset(f, *by)
            }
            Initializer::Masked { mask, value } => write!(f, "0x{mask:X}({value})"),
            Initializer::List(all) => {
                f.write_str("{")?;
                join(f, all, ", ")?;
                f.write_str("}")
            }
            Initializer::Field { name, value } => write!(f, "{name} = {value}"),
        }
    }
}

impl Display for File {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".file {} \"{}\"", self.index, self.name)?;
        match self.stamp {
            Some((time, size)) => write!(f, ", {time}, {size}"),
            None => Ok(()),
        }
    }
}

impl Display for Section {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".section .{} {{", self.name)?;
        for line in &self.lines {
            match line {
                SectionLine::Label(name) => writeln!(f, "{name}:")?,
                SectionLine::Data { ty, values } => {
                    write!(f, ".{ty} ")?;
                    join(f, values, ", ")?;
                    f.write_str("\n")?;
                }
            }
        }
        f.write_str("}")
    }
}

impl Display for DataValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DataValue::Integer(value) => value.fmt(f),
            DataValue::Symbol {
                name,
                minus,
                offset: by,
            } => {
                f.write_str(name)?;
                if let Some(minus) = minus {
                    write!(f, "-{minus}")?;
                }
                offset(f, *by)
            }
        }
    }
}

fn statements(f: &mut Formatter<'_>, all: &[Statement]) -> fmt::Result {
    for statement in all {
        if !matches!(statement, Statement::Label { .. }) {
            f.write_str("\t")?;
        }
        writeln!(f, "{statement}")?;
    }
    Ok(())
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Label { name, .. } => write!(f, "{name}:"),
            Statement::Instruction(instruction) => instruction.fmt(f),
            Statement::Declaration(declaration) => write!(f, "{declaration};"),
            Statement::Scope(all) => {
                f.write_str("{\n")?;
                statements(f, all)?;
                f.write_str("\t}")
            }
            Statement::BranchTargets(labels) => {
                f.write_str(".branchtargets ")?;
                join(f, labels, ", ")?;
                f.write_str(";")
            }
            Statement::CallTargets(functions) => {
                f.write_str(".calltargets ")?;
                join(f, functions, ", ")?;
                f.write_str(";")
            }
            Statement::CallPrototype {
                returns,
                parameters,
                noreturn,
            } => {
                f.write_str(".callprototype (")?;
                join(f, returns, ", ")?;
                f.write_str(") _ (")?;
                join(f, parameters, ", ")?;
                f.write_str(if *noreturn { ") .noreturn;" } else { ");" })
            }
            Statement::Pragma(texts) => strings(f, texts),
            Statement::Location(location) => location.fmt(f),
            Statement::File(file) => file.fmt(f),
            Statement::InlineAsmBegin => write!(f, "// {ASM_BEGIN}"),
            Statement::InlineAsmEnd => write!(f, "// {ASM_END}"),
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".loc {} {} {}", self.file, self.line, self.column)?;
        if let Some(inlined) = &self.inlined {
            write!(f, ", function_name {}", inlined.function_name)?;
            offset(f, inlined.offset)?;
            let (file, line, column) = inlined.at;
            write!(f, ", inlined_at {file} {line} {column}")?;
        }
        Ok(())
    }
}

impl Display for Guard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = if self.negated { "!" } else { "" };
        write!(f, "@{not}{}", self.register)
    }
}

impl Display for Opcode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        self.opcode.fmt(f)?;
        if !self.operands.is_empty() {
            f.write_str(" ")?;
            join(f, &self.operands, ", ")?;
        }
        f.write_str(";")
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let listed = |f: &mut Formatter<'_>, all: &[Operand], open: &str, close: &str| {
            f.write_str(open)?;
            join(f, all, ", ")?;
            f.write_str(close)
        };
        match self {
            Operand::Register(name) | Operand::Symbol(name) => f.write_str(name),
            Operand::Offset { symbol, offset: by } => {
                f.write_str(symbol)?;
                offset(f, *by)
            }
            Operand::Integer(value) => value.fmt(f),
            Operand::Single(bits) => write!(f, "0f{bits:08X}"),
            Operand::Double(bits) => write!(f, "0d{bits:016X}"),
            Operand::Address(address) => address.fmt(f),
            Operand::Vector(all) => listed(f, all, "{", "}"),
            Operand::List(all) => listed(f, all, "(", ")"),
            Operand::Pair(first, second) => write!(f, "{first}|{second}"),
            Operand::Not(operand) => write!(f, "!{operand}"),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.base)?;
        offset(f, self.offset)?;
        for each in &self.rest {
            write!(f, ", {each}")?;
        }
        f.write_str("]")
    }
}
