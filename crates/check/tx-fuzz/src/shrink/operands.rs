//! Smaller shapes, simpler views and simpler combiners that the shrinker tries in a test case.

use crate::combine::{Combine, Kind};
use crate::description::View;
use crate::element::Element;

/// Returns the reduced axes, renumbered after the removal of dimension `gone`.
pub(super) fn drop_axis(axes: &[usize], gone: usize) -> Vec<usize> {
    axes.iter()
        .filter(|axis| **axis != gone)
        .map(|axis| axis - usize::from(*axis > gone))
        .collect()
}

/// Returns smaller shapes. Each returned shape is paired with the index of the removed dimension,
/// or with `None` if the shape has all dimensions.
pub(super) fn shapes(shape: &[usize]) -> Vec<(Vec<usize>, Option<usize>)> {
    let mut all = Vec::new();
    for d in 0..shape.len() {
        let mut dropped = shape.to_vec();
        dropped.remove(d);
        all.push((dropped, Some(d)));
    }
    for (d, size) in shape.iter().enumerate() {
        for new in [1, 2, 3, 8, size / 2, size.saturating_sub(1)] {
            if new < *size && (new > 0 || *size == 1) {
                let mut smaller = shape.to_vec();
                smaller[d] = new;
                all.push((smaller, None));
            }
        }
    }
    all
}

pub(super) fn drop_dimension(view: &View, gone: usize) -> View {
    fn cut<T: Clone>(list: &[T], gone: usize) -> Vec<T> {
        let mut list = list.to_vec();
        if gone < list.len() {
            list.remove(gone);
        }
        list
    }
    View {
        before: cut(&view.before, gone),
        after: cut(&view.after, gone),
        step: cut(&view.step, gone),
        order: drop_axis(&view.order, gone),
        loose: cut(&view.loose, gone),
        open: view.open,
    }
}

pub(super) fn views(view: &View) -> Vec<View> {
    let mut all = vec![View::default()];
    let mut with = |change: &dyn Fn(&mut View)| {
        let mut smaller = view.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    with(&|view| view.before.clear());
    with(&|view| view.after.clear());
    with(&|view| view.step.clear());
    with(&|view| view.order.clear());
    with(&|view| view.loose.clear());
    with(&|view| view.open = false);
    for d in 0..view.before.len() {
        with(&|view| view.before[d] = 0);
    }
    for d in 0..view.after.len() {
        with(&|view| view.after[d] = 0);
    }
    for d in 0..view.step.len() {
        with(&|view| view.step[d] = 1);
    }
    for d in 0..view.loose.len() {
        with(&|view| view.loose[d] = false);
    }
    all.retain(|smaller| smaller != view);
    all
}

pub(super) fn combines(combine: &Combine) -> Vec<Combine> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Combine)| {
        let mut smaller = combine.clone();
        change(&mut smaller);
        if smaller != *combine {
            all.push(smaller);
        }
    };
    let of = |element: Element| {
        move |combine: &mut Combine| {
            combine.element = element;
            combine.to = element.destinations()[0];
            combine.acc = None;
        }
    };
    with(&|combine| combine.variant = None);
    with(&|combine| combine.determinism = None);
    with(&|combine| combine.acc = None);
    with(&|combine| combine.ignore_nan = false);
    with(&|combine| combine.accumulate = false);
    with(&|combine| combine.index = Element::I32);
    with(&|combine| combine.to = combine.element.destinations()[0]);
    if !matches!(combine.kind, Kind::Sum) {
        with(&|combine| combine.kind = Kind::Sum);
        if combine.kind.is_arg() {
            with(&|combine| combine.kind = Kind::Max);
        }
    }
    if combine.element != Element::F32 && !matches!(combine.kind, Kind::Custom(_)) {
        if combine.element != Element::I32 {
            with(&of(Element::I32));
        }
        with(&of(Element::F32));
    }
    all
}
