//! Memory spaces and origins of pointers.

use melior::ir::{BlockLike, ValueLike};
use tx_mlir::{
    Val, argument_of, attribute, defining_op, name, operands, pointer_space, symbol_path,
};
use tx_ptx::Space;

/// Returns the memory space for an LLVM address space number.
pub(super) fn space(number: u32) -> Space {
    match number {
        1 => Space::Global,
        3 => Space::Shared,
        4 => Space::Const,
        5 => Space::Local,
        7 => Space::SharedCluster,
        101 => Space::Param,
        _ => Space::Generic,
    }
}

/// Returns the memory space of a pointer; generic if the pointer type specifies no address space.
pub(super) fn space_of(pointer: Val<'_>) -> Space {
    space(pointer_space(pointer.r#type()).unwrap_or(0))
}

/// Origin of an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnderlyingObject {
    /// Function argument with the given index.
    Argument(usize),
    /// Global variable with the given name.
    Variable(String),
    /// Stack memory of the thread.
    Private,
    Unknown,
}

/// Ops that derive a pointer from the pointer in their first operand.
pub(crate) const VIEWS: [&str; 3] = ["llvm.getelementptr", "llvm.addrspacecast", "llvm.bitcast"];

const NUMBERS: [&str; 2] = ["llvm.ptrtoint", "llvm.inttoptr"];

pub(super) fn underlying_object(mut pointer: Val<'_>) -> UnderlyingObject {
    loop {
        let Some(op) = defining_op(pointer) else {
            // An argument of any other block may hold several addresses.
            let entry = argument_of(pointer).filter(|(block, _)| {
                let function = block.parent_operation();
                function.and_then(|function| tx_mlir::first_block(function, 0)) == Some(*block)
            });
            return entry.map_or(UnderlyingObject::Unknown, |(_, number)| {
                UnderlyingObject::Argument(number)
            });
        };
        match name(op) {
            // An integer that was converted from a pointer keeps its underlying object.
            view if VIEWS.contains(&view) || NUMBERS.contains(&view) => {
                match operands(op).first() {
                    Some(from) => pointer = *from,
                    None => return UnderlyingObject::Unknown,
                }
            }
            "llvm.alloca" => return UnderlyingObject::Private,
            "llvm.mlir.addressof" => {
                let path = attribute(op, "global_name").and_then(symbol_path);
                return path
                    .and_then(|path| path.into_iter().next_back())
                    .map_or(UnderlyingObject::Unknown, UnderlyingObject::Variable);
            }
            _ => return UnderlyingObject::Unknown,
        }
    }
}
