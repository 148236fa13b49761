//! Checks of the format fields of `gpu.printf`.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};
use tx_mlir::{
    Failed, Op, byte_width, codes, error, integer_width, operands, string_attribute, warning,
};

struct Field<'f> {
    text: &'f str,
    /// True if the format field prints an integer of 8 bytes; false if the format field prints an
    /// integer of 4 bytes.
    long: bool,
    conversion: u8,
}

/// Checks that a `gpu.printf` has at least as many arguments as format fields. Emits a warning for
/// each field that does not match the type of its argument. If a format field has the wrong type
/// for its argument, the GPU prints garbage and misreads all later arguments.
pub(crate) fn check_printf(op: Op<'_>) -> Result<(), Failed> {
    let format = string_attribute(op, "format").unwrap_or_default();
    let (fields, arguments) = (fields(&format), operands(op));
    if fields.iter().any(|field| field.text.contains('*')) {
        // A field width `*` also consumes an argument.
        return Ok(());
    }
    if fields.len() > arguments.len() {
        let message = format!(
            "`gpu.printf` has {} of the {} arguments that its format prints",
            arguments.len(),
            fields.len()
        );
        return Err(error(op.location(), message).code(codes::TX0511).emit());
    }
    for (number, (field, argument)) in fields.iter().zip(arguments).enumerate() {
        let ty = argument.r#type();
        if let Some(instead) = field.instead(ty) {
            warning(
                op.location(),
                format!(
                    "field {number} of `gpu.printf` (counted from 0), `{}`, does not print `{ty}`",
                    field.text
                ),
            )
            .note(instead)
            .emit();
        }
    }
    Ok(())
}

fn fields(format: &str) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        let after = &rest[start + 1..];
        let modifiers = after.find(|c: char| !"-+ #0123456789.*hlLjzt".contains(c));
        let Some((length, conversion)) =
            modifiers.and_then(|at| Some((at, *after.as_bytes().get(at)?)))
        else {
            break;
        };
        let (text, following) =
            rest[start..].split_at(1 + length + usize::from(conversion.is_ascii()));
        rest = following;
        if b"diouxXcaAeEfFgGsp".contains(&conversion) {
            let long = text.contains(['l', 'j', 'z', 't']);
            fields.push(Field {
                text,
                long,
                conversion,
            });
        }
    }
    fields
}

impl Field<'_> {
    /// Returns a hint with the correct format field if the field does not print arguments of type
    /// `ty`.
    fn instead(&self, ty: Type<'_>) -> Option<String> {
        let integer = ty.is_index().then_some(64).or_else(|| integer_width(ty));
        let letter = char::from(self.conversion);
        match (self.conversion, integer) {
            (b's' | b'p', _) => None,
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c', Some(bits)) => match (bits, self.long)
            {
                (64, true) | (32, false) => None,
                (64, false) if self.conversion != b'c' => {
                    Some(format!("use `%ll{letter}` for 64-bit integers"))
                }
                (32, true) => Some(format!("use `%{letter}` for 32-bit integers")),
                _ => Some("extend it to `i32` with `arith.extsi` or `arith.extui`".to_owned()),
            },
            (_, Some(bits)) => Some(
                match bits {
                    64 => "use `%lld` for 64-bit integers",
                    _ => "use `%d` for integers",
                }
                .to_owned(),
            ),
            (b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G', None) => {
                let fits = ty.is_float() && byte_width(ty).is_some();
                (!fits).then(|| "print scalars only, one per field".to_owned())
            }
            (_, None) => Some("use `%f` or `%g` for floats".to_owned()),
        }
    }
}
