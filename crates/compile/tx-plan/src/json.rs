//! JSON form of a launch plan.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::element::ElementType;
use crate::expr::Expr;
use crate::plan::{Argument, Plan, PlanError, Temporary, VERSION};
use crate::types::{ArgumentType, Extent, Layout, MemorySpace, MemrefType};

impl Plan {
    /// Returns the plan as indented JSON with a final newline.
    pub fn to_json(&self) -> String {
        // Serialization to a string cannot fail: all map keys are strings.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Parses and validates a plan.
    ///
    /// # Errors
    /// Fails if the text is not a plan of version [`VERSION`], or if [`Plan::validate`] finds the
    /// plan inconsistent.
    pub fn from_json(text: &str) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u64,
        }
        // The function parses the version first, because the version determines the format of the
        // other fields.
        let Versioned { version } = serde_json::from_str(text)?;
        if version != u64::from(VERSION) {
            return Err(PlanError::Version { found: version });
        }
        let plan: Self = serde_json::from_str(text)?;
        plan.validate()?;
        Ok(plan)
    }
}

/// JSON form of an [`Argument`]. The field `type` of a memref argument contains the memref type in
/// MLIR's syntax, for human readers. Deserialization checks that the field `type` agrees with all
/// other fields.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum ArgumentRepr {
    Memref {
        #[serde(rename = "type")]
        text: String,
        element: ElementType,
        shape: Vec<Extent>,
        strides: Vec<Extent>,
        offset: Extent,
        /// Whether the memref has the identity layout. For the identity layout, the caller must
        /// pass a contiguous row-major array, even if a stride is `?`.
        contiguous: bool,
        space: MemorySpace,
        written: bool,
    },
    Scalar {
        #[serde(rename = "type")]
        element: ElementType,
    },
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.ty {
            ArgumentType::Scalar(element) => ArgumentRepr::Scalar { element: *element },
            ArgumentType::Memref(memref) => ArgumentRepr::Memref {
                text: memref.to_string(),
                element: memref.element,
                shape: memref.shape.clone(),
                strides: memref.strides(),
                offset: memref.offset(),
                contiguous: memref.layout == Layout::Identity,
                space: memref.space,
                written: self.written,
            },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ArgumentRepr::deserialize(deserializer)? {
            ArgumentRepr::Scalar { element } => Ok(Self {
                ty: ArgumentType::Scalar(element),
                written: false,
            }),
            ArgumentRepr::Memref {
                text,
                element,
                shape,
                strides,
                offset,
                contiguous,
                space,
                written,
            } => {
                let layout = if contiguous {
                    Layout::Identity
                } else {
                    Layout::Strided {
                        strides: strides.clone(),
                        offset,
                    }
                };
                let memref = MemrefType {
                    element,
                    shape,
                    layout,
                    space,
                };
                if memref.to_string() != text
                    || memref.strides() != strides
                    || memref.offset() != offset
                {
                    return Err(de::Error::custom(format!(
                        "argument of type `{text}`, but its other fields say `{memref}` with strides {}",
                        memref
                            .strides()
                            .iter()
                            .map(ToString::to_string)
                            .collect::<Vec<_>>()
                            .join(", ")
                    )));
                }
                Ok(Self {
                    ty: ArgumentType::Memref(memref),
                    written,
                })
            }
        }
    }
}

/// JSON form of a [`Temporary`]. The field `bytes` contains the size of the temporary, for
/// launchers that do not read the shape.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemporaryRepr {
    element: ElementType,
    shape: Vec<Expr>,
    bytes: Expr,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cleared: bool,
}

impl Serialize for Temporary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TemporaryRepr {
            element: self.element,
            shape: self.shape.clone(),
            bytes: self.bytes(),
            cleared: self.cleared,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Temporary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let TemporaryRepr {
            element,
            shape,
            bytes,
            cleared,
        } = TemporaryRepr::deserialize(deserializer)?;
        let temporary = Self {
            element,
            shape,
            cleared,
        };
        let expected = temporary.bytes();
        if bytes == expected {
            Ok(temporary)
        } else {
            Err(de::Error::custom(format!(
                "temporary of `{bytes}` bytes, but its shape and element type say `{expected}`"
            )))
        }
    }
}
