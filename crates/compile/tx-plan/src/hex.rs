//! Hexadecimal text form of 64-bit patterns. Plans store bit patterns as text, because JSON numbers
//! can represent neither infinities nor all 64-bit integers.

use serde::{Deserialize, Deserializer, Serializer, de};

pub(crate) fn serialize<S: Serializer>(bits: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{bits:#x}"))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.strip_prefix("0x")
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or_else(|| {
            de::Error::custom(format!(
                "found `{text}`, expected bits such as `0xff800000`"
            ))
        })
}
