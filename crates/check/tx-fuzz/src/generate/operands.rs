//! Random shapes, element types, combiners and views of the operands.

use crate::combine::{CUSTOM, Combine, Determinism, Kind};
use crate::description::View;
use crate::element::Element::{self, BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64};
use crate::random::Random;

/// Sizes of dimensions: 0, powers of two, and numbers for which a loop split can leave a remainder.
const SIZES: [usize; 22] = [
    0, 1, 1, 2, 3, 4, 5, 7, 8, 8, 16, 17, 20, 31, 32, 33, 48, 64, 100, 128, 257, 1003,
];

/// Returns a random shape of rank `rank` with at most `most` elements.
pub(super) fn shape(random: &mut Random, rank: usize, most: usize) -> Vec<usize> {
    let mut shape = Vec::new();
    let mut left = most.max(1);
    for _ in 0..rank {
        let fits: Vec<usize> = SIZES.into_iter().filter(|size| *size <= left).collect();
        let mut size = random.pick(&fits);
        // Few programs should have empty arrays.
        if size == 0 && random.percent(70) {
            size = 1;
        }
        left /= size.max(1);
        shape.push(size);
    }
    random.shuffle(&mut shape);
    shape
}
pub(super) fn rank(random: &mut Random) -> usize {
    random.pick(&[0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 5])
}

pub(super) fn axes(random: &mut Random, shape: &[usize]) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..shape.len()).filter(|_| random.percent(45)).collect();
    if axes.is_empty() && !shape.is_empty() && random.percent(85) {
        axes.push(random.below(shape.len()));
    }
    random.shuffle(&mut axes);
    axes
}

pub(super) fn element(random: &mut Random) -> Element {
    random.pick(&[
        F32, F32, F32, F32, F16, F16, BF16, BF16, F64, F64, I32, I32, I32, I64, I8, I16, I1,
        F8E4M3FN, F8E5M2,
    ])
}

/// Returns a random combiner for a source of the element type `of`. If `of` is `None`, the element
/// type is random.
pub(super) fn combine(random: &mut Random, of: Option<Element>, customs: bool) -> Combine {
    if customs && of.is_none() && random.percent(12) {
        let custom = random.below(CUSTOM.len());
        let element = CUSTOM[custom].elements[0];
        let mut combine = Combine::plain(Kind::Custom(custom), element);
        combine.to = element;
        combine.accumulate = random.percent(25);
        return combine;
    }
    let element = of.unwrap_or_else(|| self::element(random));
    let kind = random.pick(Kind::of(element));
    let mut combine = Combine::plain(kind, element);
    if random.percent(20) {
        combine.to = random.pick(element.destinations());
    }
    combine.index = random.pick(&[I32, I64]);
    if random.percent(12) {
        combine.acc = Some(random.pick(element.accumulators()));
    }
    combine.ignore_nan = element.is_float()
        && matches!(kind, Kind::Max | Kind::Min | Kind::ArgMax | Kind::ArgMin)
        && random.percent(30);
    if random.percent(15) {
        combine.determinism = Some(random.pick(&[
            Determinism::Any,
            Determinism::RunToRun,
            Determinism::BatchInvariant,
        ]));
    }
    combine.accumulate = random.percent(25);
    combine
}

pub(super) fn view(random: &mut Random, shape: &[usize], broadcast: bool) -> View {
    let mut view = View::default();
    if random.percent(60) {
        return view;
    }
    let rank = shape.len();
    if random.percent(40) {
        view.before = (0..rank).map(|_| random.below(3)).collect();
        view.after = (0..rank).map(|_| random.below(3)).collect();
    }
    if random.percent(20) {
        view.step = (0..rank).map(|_| random.pick(&[1, 1, 2, 3])).collect();
    }
    if broadcast && random.percent(10) && rank > 0 {
        view.step = vec![1; rank];
        view.step[random.below(rank)] = 0;
    }
    if random.percent(35) && rank > 1 {
        view.order = (0..rank).collect();
        random.shuffle(&mut view.order);
    }
    if random.percent(40) {
        view.loose = (0..rank).map(|_| random.percent(60)).collect();
    }
    view.open = random.percent(15);
    view
}
