//! Tiles in memory and parts of them, and the reference that reduces one into another.

use crate::element::{Element, combine, identity};

/// A tile in memory, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) extents: Vec<usize>,
    pub(crate) strides: Vec<usize>,
    pub(crate) offset: usize,
    /// Of a whole tile, whose layout MLIR need not be told.
    pub(crate) whole: bool,
}

impl View {
    pub(crate) fn whole(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for dimension in (1..shape.len()).rev() {
            strides[dimension - 1] = strides[dimension] * shape[dimension];
        }
        Self {
            extents: shape.to_vec(),
            strides,
            offset: 0,
            whole: true,
        }
    }

    pub(crate) fn region(&self, region: &[[usize; 2]]) -> Result<Self, String> {
        if region.len() != self.extents.len() {
            return Err(format!("region {region:?} of a tile {:?}", self.extents));
        }
        let mut part = self.clone();
        for (dimension, [start, extent]) in region.iter().copied().enumerate() {
            if start + extent > self.extents[dimension] {
                return Err(format!(
                    "region {region:?} leaves the tile {:?}",
                    self.extents
                ));
            }
            part.offset += start * self.strides[dimension];
            part.extents[dimension] = extent;
        }
        part.whole = part.extents == self.extents;
        Ok(part)
    }

    /// The same elements with dimensions of 1 dropped until the extents are `wanted`.
    pub(crate) fn drop_ones(&self, wanted: &[usize]) -> Option<Self> {
        let mut dropped = self.clone();
        dropped.extents.clear();
        dropped.strides.clear();
        dropped.whole = false;
        let mut left = wanted.iter().peekable();
        for (extent, stride) in self.extents.iter().zip(&self.strides) {
            if left.peek() == Some(&extent) {
                left.next();
                dropped.extents.push(*extent);
                dropped.strides.push(*stride);
            } else if *extent != 1 {
                return None;
            }
        }
        left.peek().is_none().then_some(dropped)
    }

    /// Its type where it begins at a place that is known.
    pub(crate) fn mlir_type(&self, element: Element, space: &str) -> String {
        let offset = match self.offset {
            0 => String::new(),
            offset => format!(", offset: {offset}"),
        };
        self.mlir_type_at(&offset, element, space)
    }

    /// Its type where threads of different groups begin at different places.
    pub(crate) fn mlir_type_anywhere(&self, element: Element, space: &str) -> String {
        let anywhere = Self {
            whole: false,
            ..self.clone()
        };
        anywhere.mlir_type_at(", offset: ?", element, space)
    }

    fn mlir_type_at(&self, offset: &str, element: Element, space: &str) -> String {
        let extents: String = self
            .extents
            .iter()
            .map(|extent| format!("{extent}x"))
            .collect();
        let layout = if self.whole {
            String::new()
        } else {
            format!(", strided<[{}]{offset}>", list(&self.strides))
        };
        let space = match space {
            "" => String::new(),
            space => format!(", #gpu.address_space<{space}>"),
        };
        format!("memref<{extents}{}{layout}{space}>", element.mlir())
    }

    /// The place of every element, in row-major order.
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut places = vec![self.offset];
        for (extent, stride) in self.extents.iter().zip(&self.strides) {
            places = places
                .iter()
                .flat_map(|place| (0..*extent).map(move |index| place + index * stride))
                .collect();
        }
        places
    }
}

pub(crate) fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}

/// Which dimensions of a tile `axes` names.
pub(crate) fn reduced_dimensions(axes: &[i64], rank: usize) -> Result<Vec<bool>, String> {
    let mut reduced = vec![false; rank];
    for axis in axes {
        let dimension = if *axis < 0 { axis + rank as i64 } else { *axis };
        *usize::try_from(dimension)
            .ok()
            .and_then(|dimension| reduced.get_mut(dimension))
            .ok_or(format!("axis {axis} of a tile of rank {rank}"))? = true;
    }
    Ok(reduced)
}

/// The entries of a list that are marked, or those that are not.
pub(crate) fn pick<T: Clone>(items: &[T], marks: &[bool], wanted: bool) -> Vec<T> {
    items
        .iter()
        .zip(marks)
        .filter(|(_, mark)| **mark == wanted)
        .map(|(item, _)| item.clone())
        .collect()
}

/// A reduction of one tile into another, as a rule for computing it.
pub(crate) struct Reference<'a> {
    pub(crate) op: &'a str,
    pub(crate) accumulate: bool,
    pub(crate) element: Element,
    pub(crate) source: &'a View,
    pub(crate) reduced: &'a [bool],
    pub(crate) destination: &'a View,
}

impl Reference<'_> {
    /// Combines elements of `inputs` into `result`, in f64 and rounded once.
    pub(crate) fn apply(&self, inputs: &[f64], result: &mut [f64]) -> Result<(), String> {
        let combine = combine(self.op)?;
        let identity = identity(self.op, self.element)?;
        // The dimensions that stay, and those that go, as views of their own: an element of the
        // first is where a result begins, and the second adds what is combined into it.
        let part = |wanted: bool, offset: usize| View {
            extents: pick(&self.source.extents, self.reduced, wanted),
            strides: pick(&self.source.strides, self.reduced, wanted),
            offset,
            whole: false,
        };
        let within = part(true, 0).places();
        let first = part(false, self.source.offset).places();
        let places = self.destination.places();
        if first.len() != places.len() {
            return Err(format!(
                "{} results for {} places",
                first.len(),
                places.len()
            ));
        }
        for (first, to) in first.into_iter().zip(places) {
            let mut values = within.iter().map(|step| inputs[first + step]);
            let start = if self.accumulate {
                result[to]
            } else {
                values.next().unwrap_or(identity)
            };
            result[to] = self.element.round(values.fold(start, combine));
        }
        Ok(())
    }
}
