//! NumPy-like arrays with an error bound for each number.

/// Dense array in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array<T> {
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: Vec<T>,
}

/// Number in f64 with an error bound. The unit of the bound is the tolerance of the output type,
/// and the bound covers the rounding to this type after each step. The bound is zero if no step
/// rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Approx {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Approx {
    pub(crate) fn exactly(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// Returns a rounded number; `inherited` is the error caused by the operands.
    pub(crate) fn rounded(value: f64, inherited: f64) -> Self {
        Self {
            value,
            error: inherited + value.abs(),
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::rounded(self.value + other.value, self.error + other.error)
    }

    /// Returns the product without its own rounding.
    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            error: self.value.abs() * other.error + other.value.abs() * self.error,
        }
    }

    pub(crate) fn over(self, other: Self) -> Self {
        let value = self.value / other.value;
        let inherited = (self.error + value.abs() * other.error) / other.value.abs();
        Self::rounded(value, inherited)
    }
}

/// Returns every index of a shape, in row-major order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for extent in shape {
        all = all
            .into_iter()
            .flat_map(|index| {
                (0..*extent).map(move |i| {
                    let mut longer = index.clone();
                    longer.push(i);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Returns the shape of an element-wise result of two shapes.
pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, String> {
    let rank = a.len().max(b.len());
    let extent = |shape: &[usize], d: usize| match (d + shape.len()).checked_sub(rank) {
        Some(d) => shape[d],
        None => 1,
    };
    (0..rank)
        .map(|d| match (extent(a, d), extent(b, d)) {
            (x, y) if x == y => Ok(x),
            (1, y) => Ok(y),
            (x, 1) => Ok(x),
            _ => Err(format!("{a:?} and {b:?} do not fit together")),
        })
        .collect()
}

impl<T: Clone> Array<T> {
    pub(crate) fn scalar(element: T) -> Self {
        Self {
            shape: Vec::new(),
            elements: vec![element],
        }
    }

    pub(crate) fn build(shape: &[usize], element: impl FnMut(Vec<usize>) -> T) -> Self {
        Self {
            shape: shape.to_vec(),
            elements: indices(shape).into_iter().map(element).collect(),
        }
    }

    pub(crate) fn map<U: Clone>(&self, f: impl FnMut(T) -> U) -> Array<U> {
        Array {
            shape: self.shape.clone(),
            elements: self.elements.iter().cloned().map(f).collect(),
        }
    }

    /// Returns the element for an index of the broadcast shape.
    pub(crate) fn at(&self, index: &[usize]) -> T {
        let mut place = 0;
        for (i, extent) in index[index.len() - self.shape.len()..]
            .iter()
            .zip(&self.shape)
        {
            place = place * extent + if *extent == 1 { 0 } else { *i };
        }
        self.elements[place].clone()
    }

    pub(crate) fn zip<U: Clone, V: Clone>(
        &self,
        other: &Array<U>,
        mut f: impl FnMut(T, U) -> V,
    ) -> Result<Array<V>, String> {
        let shape = broadcast(&self.shape, &other.shape)?;
        Ok(Array::build(&shape, |i| f(self.at(&i), other.at(&i))))
    }

    /// Reduces `axes`: calls the function with the elements of each row, in order. `keep` keeps the
    /// axes with size 1.
    pub(crate) fn reduce<U: Clone>(
        &self,
        axes: &[usize],
        keep: bool,
        mut f: impl FnMut(Vec<T>) -> U,
    ) -> Array<U> {
        let only = |wanted: bool| -> Vec<usize> {
            (0..self.shape.len())
                .map(|d| {
                    if axes.contains(&d) == wanted {
                        self.shape[d]
                    } else {
                        1
                    }
                })
                .collect()
        };
        let (kept, reduced) = (only(false), indices(&only(true)));
        let mut result = Array::build(&kept, |at| {
            let row = reduced.iter().map(|along| {
                let index: Vec<usize> = at.iter().zip(along).map(|(a, b)| a + b).collect();
                self.at(&index)
            });
            f(row.collect())
        });
        if !keep {
            let mut d = 0;
            result.shape.retain(|_| {
                d += 1;
                !axes.contains(&(d - 1))
            });
        }
        result
    }

    pub(crate) fn reshape(&self, shape: &[usize]) -> Result<Self, String> {
        if shape.iter().product::<usize>() != self.elements.len() {
            return Err(format!("{:?} cannot be seen as {shape:?}", self.shape));
        }
        Ok(Self {
            shape: shape.to_vec(),
            elements: self.elements.clone(),
        })
    }

    /// Dimension `d` of the result is dimension `order[d]` of this array.
    pub(crate) fn transpose(&self, order: &[usize]) -> Result<Self, String> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if sorted != (0..self.shape.len()).collect::<Vec<_>>() {
            return Err(format!(
                "{order:?} is no order of {} dimensions",
                self.shape.len()
            ));
        }
        let shape: Vec<usize> = order.iter().map(|d| self.shape[*d]).collect();
        Ok(Self::build(&shape, |index| {
            let mut source = vec![0; order.len()];
            for (d, i) in order.iter().zip(index) {
                source[*d] = i;
            }
            self.at(&source)
        }))
    }

    /// Returns the elements `from`, `from + step` … before `to` of one dimension.
    pub(crate) fn slice(
        &self,
        axis: usize,
        from: usize,
        to: usize,
        step: usize,
    ) -> Result<Self, String> {
        if from > to || to > self.shape[axis] || step == 0 {
            return Err(format!(
                "no part {from}..{to} by {step} of {}",
                self.shape[axis]
            ));
        }
        let mut shape = self.shape.clone();
        shape[axis] = (to - from).div_ceil(step);
        Ok(Self::build(&shape, |mut index| {
            index[axis] = from + step * index[axis];
            self.at(&index)
        }))
    }

    /// Returns the array with `part` in place of a [slice](Self::slice).
    pub(crate) fn put(
        &self,
        axis: usize,
        from: usize,
        to: usize,
        step: usize,
        part: &Self,
    ) -> Result<Self, String> {
        let shape = self.slice(axis, from, to, step)?.shape;
        if part.shape != shape {
            return Err(format!("{:?} in the place of {shape:?}", part.shape));
        }
        Ok(Self::build(&self.shape, |mut index| {
            let at = index[axis];
            if at < from || at >= to || !(at - from).is_multiple_of(step) {
                return self.at(&index);
            }
            index[axis] = (at - from) / step;
            part.at(&index)
        }))
    }

    /// Returns all windows of a shape. The first dimensions of the result are the position, and the
    /// last dimensions are the window.
    pub(crate) fn windows(&self, window: &[usize]) -> Result<Self, String> {
        let rank = self.shape.len();
        let fits = window.len() == rank
            && window
                .iter()
                .zip(&self.shape)
                .all(|(w, n)| *w >= 1 && *w <= n + 1);
        if !fits {
            return Err(format!("no windows {window:?} in {:?}", self.shape));
        }
        let mut shape: Vec<usize> = self
            .shape
            .iter()
            .zip(window)
            .map(|(n, w)| n + 1 - w)
            .collect();
        shape.extend(window);
        Ok(Self::build(&shape, |index| {
            let place: Vec<usize> = (0..rank).map(|d| index[d] + index[rank + d]).collect();
            self.at(&place)
        }))
    }
}
