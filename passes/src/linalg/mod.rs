//! Analysis of `linalg` ops: loops and operands as data, separation of bodies into elements and
//! combiner, properties of combiners, and fusion with neighbouring ops.

pub(crate) mod attributes;
pub(crate) mod body;
pub(crate) mod body_errors;
pub(crate) mod chains;
pub(crate) mod choice;
pub(crate) mod combiner;
pub(crate) mod combining_ops;
pub(crate) mod consumers;
pub(crate) mod converted_ops;
pub(crate) mod fills;
pub(crate) mod fuse;
pub(crate) mod generic;
pub(crate) mod laws;
pub(crate) mod part;
pub(crate) mod partition;
pub(crate) mod plan;
pub(crate) mod producers;
pub(crate) mod program;
pub(crate) mod read;
pub(crate) mod recognise;
pub(crate) mod scalar;
pub(crate) mod separate;
pub(crate) mod special_pairs;
pub(crate) mod steps;
pub(crate) mod write;
