//! Tiles. A tile is an operand or a result of an op, and has a shape, an element type and a memory
//! space.

use crate::attributes::Scope;
use crate::diagnostic::complain;
use crate::layout::Fragment;
use melior_upstream::ir::{Type, ValueLike};
use tx_mlir::memref::Space;
use tx_mlir::{Failed, MemRef, Op, Val, codes};

/// A tile operand. The memory space of a fragment is `None`.
pub(super) struct Tile<'c> {
    pub(super) shape: Vec<Option<u64>>,
    pub(super) element: Type<'c>,
    pub(super) space: Option<Space>,
}

impl<'c> Tile<'c> {
    /// Returns the shape, element type and memory space of `value`, an operand or a result of `op`.
    pub(super) fn of(op: Op<'c>, value: Val<'c>) -> Result<Self, Failed> {
        let ty = value.r#type();
        if let Some(memref) = MemRef::from_type(ty) {
            return Ok(Self {
                shape: memref.shape,
                element: memref.element,
                space: Some(memref.space),
            });
        }
        if let Some(fragment) = Fragment::from_type(ty) {
            return Ok(Self {
                shape: fragment.shape.into_iter().map(Some).collect(),
                element: fragment.element,
                space: None,
            });
        }
        Err(complain(
            op,
            format!("`{ty}` is not a tile: expected a memref with a strided layout"),
        )
        .code(codes::TX0017)
        .emit())
    }

    pub(super) fn shape_text(&self) -> String {
        shape_text(&self.shape)
    }
}

/// Returns the text of a shape, such as `[4, ?]`.
pub(super) fn shape_text(shape: &[Option<u64>]) -> String {
    if shape.is_empty() {
        return "[]".to_owned();
    }
    let sizes: Vec<String> = shape
        .iter()
        .map(|d| d.map_or_else(|| "?".to_owned(), |n| n.to_string()))
        .collect();
    format!("[{}]", sizes.join(", "))
}

/// Checks that the memory of each tile is visible to all threads of the scope.
pub(super) fn check_memory(op: Op<'_>, scope: Scope, tiles: &[&Tile<'_>]) -> Result<(), Failed> {
    for tile in tiles {
        match tile.space {
            Some(Space::Other) => {
                return Err(complain(op, "a memref is in an unknown memory space")
                    .code(codes::TX0016)
                    .note(
                        "known: none, 1 or `#gpu.address_space<global>`; 3 or \
                           `#gpu.address_space<workgroup>`; 5 or `#gpu.address_space<private>`",
                    )
                    .emit());
            }
            Some(Space::Private) if scope != Scope::Thread => {
                return Err(complain(
                    op,
                    format!(
                        "private memory is visible to one thread only, but the scope is `{scope}`"
                    ),
                )
                .code(codes::TX0016)
                .note("use `scope(thread)`, or put the tile into shared memory or a fragment")
                .emit());
            }
            Some(Space::Shared) if scope == Scope::Cluster => {
                return Err(complain(
                    op,
                    "shared memory is visible to one CTA only, but the scope is `cluster`",
                )
                .code(codes::TX0016)
                .emit());
            }
            Some(space @ (Space::Shared | Space::Private)) if scope == Scope::Grid => {
                return Err(complain(
                    op,
                    format!(
                        "`scope(grid)` requires global memory, found {}",
                        space.name()
                    ),
                )
                .code(codes::TX0016)
                .emit());
            }
            _ => {}
        }
    }
    Ok(())
}
