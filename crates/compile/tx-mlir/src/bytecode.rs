//! Detection of damaged MLIR bytecode that crashes MLIR's reader.
//!
//! A bytecode file has a magic number, a version, the name of the producer, and sections (see the
//! [format](https://mlir.llvm.org/docs/BytecodeFormat/)). The section of attribute and type offsets
//! contains the number of attributes, the number of types, and the offsets of all attributes and
//! types in groups. Each group of offsets begins with the number of offsets in the group.
//! `AttrTypeReader::initialize` of MLIR 22 does not check that the total number of offsets in all
//! groups is equal to the number of attributes and types. MLIR's reader therefore overwrites the
//! heap if a group contains too many offsets. MLIR's reader accepts a dense array whose element
//! type is not a number type, but MLIR's printer reads the elements of the array as numbers.

use crate::ffi::txHoldsNumbers;
use crate::ir::{Op, walk};
use melior::ir::attribute::AttributeLike;
use melior::ir::operation::OperationLike;
use mlir_sys::MlirAttribute;

const MAGIC: &[u8] = b"ML\xefR";
/// Identifier of the bytecode section that contains the offsets of attributes and types.
const ATTR_TYPE_OFFSET: u8 = 3;
/// Flag in a section identifier: if the flag is set, an alignment field follows the section length.
const ALIGNED: u8 = 0x80;
const PADDING: u8 = 0xcb;

pub(crate) fn is_bytecode(source: &[u8]) -> bool {
    source.starts_with(MAGIC)
}

/// Returns an error message for bytecode that would make MLIR's reader overwrite the heap. Returns
/// `None` for MLIR text, and for bytecode that does not make MLIR's reader overwrite the heap.
pub(crate) fn damage(source: &[u8]) -> Option<String> {
    let offsets = attr_type_offsets(source)?;
    let mut reader = Reader(offsets);
    let counts = [
        ("attributes", reader.varint()?),
        ("types", reader.varint()?),
    ];
    for (what, count) in counts {
        let mut left = count;
        while left > 0 {
            let _dialect = reader.varint()?;
            let length = reader.varint()?;
            if length > left {
                return Some(format!(
                    "damaged bytecode: expected {count} {what} in total, found {} and then a group \
                     of {length}; write the file again",
                    count - left
                ));
            }
            for _ in 0..length {
                reader.varint()?;
            }
            left -= length;
        }
    }
    None
}

/// Returns the first op nested in `root` with a dense array attribute whose elements are neither
/// integers nor floats. The op `root` must come from bytecode, not from MLIR text.
pub(crate) fn misread(root: Op<'_>) -> Option<Op<'_>> {
    let is_misread = |op: &Op<'_>| {
        op.attributes()
            .any(|(_, attribute)| has_misread_array(attribute.to_raw()))
    };
    walk(root).into_iter().find(is_misread)
}

/// Returns whether `attribute` is or contains a dense array whose elements are neither integers nor
/// floats.
fn has_misread_array(attribute: MlirAttribute) -> bool {
    // SAFETY: the attribute and its nested attributes are alive. The code checks the attribute
    // class before it calls an accessor of this class.
    unsafe {
        if !txHoldsNumbers(attribute) {
            return true;
        }
        if mlir_sys::mlirAttributeIsAArray(attribute) {
            let count = mlir_sys::mlirArrayAttrGetNumElements(attribute);
            return (0..count)
                .any(|i| has_misread_array(mlir_sys::mlirArrayAttrGetElement(attribute, i)));
        }
        if mlir_sys::mlirAttributeIsADictionary(attribute) {
            let count = mlir_sys::mlirDictionaryAttrGetNumElements(attribute);
            return (0..count).any(|i| {
                has_misread_array(mlir_sys::mlirDictionaryAttrGetElement(attribute, i).attribute)
            });
        }
        false
    }
}

/// Returns the bytes of the section of attribute and type offsets; `None` if MLIR rejects the file
/// before it reads this section.
fn attr_type_offsets(source: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader(source.strip_prefix(MAGIC)?);
    let _version = reader.varint()?;
    while reader.byte()? != 0 {}
    let mut offsets = None;
    while !reader.0.is_empty() {
        let section = reader.byte()?;
        let length = usize::try_from(reader.varint()?).ok()?;
        if section & ALIGNED != 0 {
            let _alignment = reader.varint()?;
            let padding = reader.0.iter().take_while(|&&byte| byte == PADDING).count();
            reader.bytes(padding)?;
        }
        let bytes = reader.bytes(length)?;
        if section & !ALIGNED == ATTR_TYPE_OFFSET {
            offsets = Some(bytes);
        }
    }
    offsets
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads a variable-length integer of MLIR bytecode. The first byte of the integer has one
    /// trailing zero bit for each byte that follows the first byte.
    fn varint(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let following = first.trailing_zeros() as usize;
        let mut word = [0; 8];
        if following == 8 {
            word.copy_from_slice(self.bytes(8)?);
            return Some(u64::from_le_bytes(word));
        }
        word[0] = first;
        word[1..=following].copy_from_slice(self.bytes(following)?);
        Some(u64::from_le_bytes(word) >> (following + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(offsets: &[u8]) -> Vec<u8> {
        let mut file = b"ML\xefR\x0dtest\0".to_vec();
        // An aligned string section precedes the offset section.
        file.extend([ALIGNED, 3, 0b1001, PADDING, PADDING, 1]);
        file.extend([ATTR_TYPE_OFFSET, (offsets.len() as u8) << 1 | 1]);
        file.extend(offsets);
        file
    }

    fn numbers(numbers: &[u8]) -> Vec<u8> {
        numbers.iter().map(|number| number << 1 | 1).collect()
    }

    #[test]
    fn groups_that_are_too_long() {
        let whole = [2, 1, 0, 1, 9, 1, 1, 9, 0, 1, 9];
        assert_eq!(damage(&file(&numbers(&whole))), None);
        let attributes = [2, 1, 0, 1, 9, 1, 2, 9, 9, 0, 1, 9];
        assert_eq!(
            damage(&file(&numbers(&attributes))).unwrap(),
            "damaged bytecode: expected 2 attributes in total, found 1 and then a group of 2; \
             write the file again"
        );
        let types = [1, 1, 0, 1, 9, 0, 3, 9, 9, 9];
        assert!(damage(&file(&numbers(&types))).unwrap().contains("1 types"));
        for length in 0..whole.len() {
            assert_eq!(damage(&file(&numbers(&whole[..length]))), None);
        }
        assert_eq!(damage(b"module {}"), None);
        assert_eq!(damage(b""), None);
    }

    #[test]
    fn numbers_are_read() {
        for (bytes, number) in [
            (&[0x01][..], 0),
            (&[0xff], 127),
            (&[0x02, 0x02], 128),
            (&[0x04, 0, 0x80], 1 << 20),
            (&[0x80, 1, 0, 0, 0, 0, 0, 0], 1),
            (&[0, 1, 2, 0, 0, 0, 0, 0, 0x80], 0x8000_0000_0000_0201),
        ] {
            assert_eq!(Reader(bytes).varint(), Some(number), "{bytes:?}");
            assert_eq!(Reader(&bytes[..bytes.len() - 1]).varint(), None);
        }
    }
}
