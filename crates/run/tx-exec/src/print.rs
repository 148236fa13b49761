//! Text that device threads print with `vprintf`, and messages of `__assertfail`.
//!
//! The argument buffer of `vprintf` contains the arguments in order, each aligned to its size, as
//! the lowering of `gpu.printf` stores the arguments. An integer occupies four bytes unless a
//! length modifier changes its size. A float is stored as f64, and a string is stored as its
//! address.

use crate::{
    fault::{AccessKind, Fault, Space},
    hook_interface::AccessRequest,
    machine::Machine,
};
use std::ffi::{CString, c_char};

/// Maximum field width, and maximum number of digits after the point.
const MAX_DIGITS: u64 = 1 << 12;
/// Maximum length of a printed string in bytes. A longer string is treated as unterminated.
const MAX_TEXT_BYTES: u64 = 1 << 16;

struct Arguments {
    address: u64,
    site: u32,
}

impl Arguments {
    fn next(&mut self, machine: &mut Machine<'_>, bytes: u64) -> Result<u64, Fault> {
        let address = self.address.next_multiple_of(bytes);
        self.address = address.wrapping_add(bytes);
        read(machine, address, bytes, self.site)
    }
}

/// Reads 1, 2, 4 or 8 bytes with the same checks as a load of the current thread.
fn read(machine: &mut Machine<'_>, address: u64, bytes: u64, site: u32) -> Result<u64, Fault> {
    machine.access(AccessRequest {
        address,
        bytes,
        kind: AccessKind::Read,
        reads: true,
        writes: false,
        space: Space::Generic,
        alignment: bytes,
        site,
    })?;
    let mut value = [0u8; 8];
    // SAFETY: the checked access covers these bytes, and no other thread runs.
    unsafe {
        std::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), bytes as usize);
    }
    Ok(u64::from_le_bytes(value))
}

pub(crate) fn text(machine: &mut Machine<'_>, address: u64, site: u32) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    for at in 0..MAX_TEXT_BYTES {
        match read(machine, address.wrapping_add(at), 1, site)? as u8 {
            0 => break,
            byte => text.push(byte),
        }
    }
    Ok(text)
}

/// Formats the text that the current thread prints with `vprintf`. Returns the formatted text, and
/// the number of printf arguments that the format uses.
pub(crate) fn format(
    machine: &mut Machine<'_>,
    [format, arguments]: [u64; 2],
    site: u32,
) -> Result<(Vec<u8>, i32), Fault> {
    let format = text(machine, format, site)?;
    let mut arguments = Arguments {
        address: arguments,
        site,
    };
    let (mut printed, mut taken) = (Vec::new(), 0);
    let mut rest = format.as_slice();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            printed.push(byte);
        } else if let Some((field, after)) = Field::parse(rest) {
            rest = after;
            field.print(machine, &mut arguments, &mut printed)?;
            taken += i32::from(field.conversion != b'%');
        } else {
            // A `%` without a valid conversion is printed unchanged.
            printed.push(byte);
        }
    }
    Ok((printed, taken))
}

/// The field width or precision of a printf conversion. The printf format contains the width or
/// precision as a number, or as an asterisk that stands for the next argument.
#[derive(Clone, Copy)]
enum Number {
    Given(u64),
    Argument,
}

impl Number {
    /// Parses the digits or the asterisk of a width or precision, if present, and returns the
    /// remaining text.
    fn parse(text: &[u8]) -> (Option<Self>, &[u8]) {
        if let Some(rest) = text.strip_prefix(b"*") {
            return (Some(Self::Argument), rest);
        }
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = text.split_at(digits);
        let add = |number: u64, digit: &u8| {
            let digit = u64::from(digit - b'0');
            number.saturating_mul(10).saturating_add(digit)
        };
        let number = number.iter().fold(0, add);
        ((digits > 0).then_some(Self::Given(number)), rest)
    }

    fn get(self, machine: &mut Machine<'_>, arguments: &mut Arguments) -> Result<i32, Fault> {
        let number = match self {
            Self::Given(number) => number.min(MAX_DIGITS) as i64,
            Self::Argument => i64::from(arguments.next(machine, 4)? as i32),
        };
        let most = MAX_DIGITS as i64;
        Ok(number.clamp(-most, most) as i32)
    }
}

/// A conversion specification of a printf format: `%`, flags, width, precision, length and
/// conversion.
struct Field<'f> {
    flags: &'f [u8],
    width: Option<Number>,
    precision: Option<Number>,
    bytes: u64,
    conversion: u8,
}

impl<'f> Field<'f> {
    /// Parses the text after a `%`, and returns the remaining text.
    fn parse(text: &'f [u8]) -> Option<(Self, &'f [u8])> {
        let flags = text
            .iter()
            .take_while(|byte| b"-+ #0".contains(byte))
            .count();
        let (flags, rest) = text.split_at(flags);
        let (width, rest) = Number::parse(rest);
        let (precision, rest) = match rest.strip_prefix(b".") {
            Some(rest) => {
                let (number, rest) = Number::parse(rest);
                (number.or(Some(Number::Given(0))), rest)
            }
            None => (None, rest),
        };
        let length = rest
            .iter()
            .take_while(|byte| b"hlLjzt".contains(byte))
            .count();
        let (length, rest) = rest.split_at(length);
        let (&conversion, rest) = rest.split_first()?;
        let field = Self {
            flags,
            width,
            precision,
            bytes: if length.iter().all(|byte| *byte == b'h') {
                4
            } else {
                8
            },
            conversion,
        };
        b"diouxXcaAeEfFgGsp%"
            .contains(&conversion)
            .then_some((field, rest))
    }

    fn print(
        &self,
        machine: &mut Machine<'_>,
        arguments: &mut Arguments,
        printed: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let mut get = |number: Option<Number>, machine: &mut Machine<'_>| {
            number
                .map(|number| number.get(machine, arguments))
                .transpose()
        };
        let width = get(self.width, machine)?.unwrap_or(0);
        // A negative precision argument counts as a missing precision.
        let precision = get(self.precision, machine)?.unwrap_or(-1);
        let sized = [width, precision];
        match self.conversion {
            b'%' => printed.push(b'%'),
            b'd' | b'i' => {
                let value = arguments.next(machine, self.bytes)?;
                let value = if self.bytes == 4 {
                    i64::from(value as i32)
                } else {
                    value as i64
                };
                self.write(sized, "ll", Value::Integer(value), printed);
            }
            b'o' | b'u' | b'x' | b'X' => {
                let value = arguments.next(machine, self.bytes)?;
                self.write(sized, "ll", Value::Integer(value as i64), printed);
            }
            b'c' => {
                let value = arguments.next(machine, 4)?;
                self.write(sized, "", Value::Character(value as i32), printed);
            }
            b's' => {
                let address = arguments.next(machine, 8)?;
                let text = text(machine, address, arguments.site)?;
                // The text contains no zero byte, because it was read up to the first zero byte.
                let text = CString::new(text).unwrap_or_default();
                self.write(sized, "", Value::Text(&text), printed);
            }
            b'p' => {
                let value = arguments.next(machine, 8)?;
                printed.extend(format!("0x{value:x}").bytes());
            }
            _ => {
                let value = f64::from_bits(arguments.next(machine, 8)?);
                self.write(sized, "", Value::Float(value), printed);
            }
        }
        Ok(())
    }

    fn write(
        &self,
        [width, precision]: [i32; 2],
        length: &str,
        value: Value<'_>,
        printed: &mut Vec<u8>,
    ) {
        let mut field = vec![b'%'];
        field.extend(self.flags);
        field.extend(b"*.*");
        field.extend(length.bytes());
        field.extend([self.conversion, 0]);
        let write = |buffer: *mut c_char, room: usize| {
            let field: *const c_char = field.as_ptr().cast();
            // SAFETY: the format takes two integers and a value of this type, and the buffer has
            // `room` bytes.
            unsafe {
                match value {
                    Value::Integer(value) => {
                        libc::snprintf(buffer, room, field, width, precision, value)
                    }
                    Value::Character(value) => {
                        libc::snprintf(buffer, room, field, width, precision, value)
                    }
                    Value::Float(value) => {
                        libc::snprintf(buffer, room, field, width, precision, value)
                    }
                    Value::Text(text) => {
                        libc::snprintf(buffer, room, field, width, precision, text.as_ptr())
                    }
                }
            }
        };
        let bytes = usize::try_from(write(std::ptr::null_mut(), 0)).unwrap_or(0);
        let mut buffer = vec![0u8; bytes + 1];
        write(buffer.as_mut_ptr().cast(), buffer.len());
        printed.extend(&buffer[..bytes]);
    }
}

#[derive(Clone, Copy)]
enum Value<'v> {
    Integer(i64),
    Character(i32),
    Float(f64),
    Text(&'v CString),
}
