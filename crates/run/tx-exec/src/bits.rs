//! Ranges of bytes, and bit sets with one bit per byte.

/// Returns whether `bytes` bytes at `offset` are inside a buffer of `length` bytes. The caller
/// passes a negative `offset` as its two's complement in `u64`.
pub(crate) fn contains(length: u64, offset: u64, bytes: u64) -> bool {
    offset < length && bytes <= length - offset
}

/// Splits the bit range `first..first + count` into 64-bit words. Calls `each` with the index of
/// each word and a mask of the bits of this word that belong to the range.
fn words(first: u64, count: u64, mut each: impl FnMut(usize, u64)) {
    let (mut bit, end) = (first, first + count);
    while bit < end {
        let stop = end.min((bit / 64 + 1) * 64);
        let mask = (!0 >> (64 - (stop - bit))) << (bit % 64);
        each((bit / 64) as usize, mask);
        bit = stop;
    }
}

pub(crate) fn all_set(bits: &[u64], first: u64, count: u64) -> bool {
    let mut all = true;
    words(first, count, |word, mask| all &= bits[word] & mask == mask);
    all
}

pub(crate) fn set_all(bits: &mut [u64], first: u64, count: u64) {
    words(first, count, |word, mask| bits[word] |= mask);
}

const PAGE: u64 = 4096;

/// A sparse set of byte positions. The set of byte positions is divided into pages; a page is
/// allocated when one of its bits is set for the first time.
#[derive(Debug)]
pub(crate) struct PagedBits(Vec<Option<Box<[u64; PAGE as usize / 64]>>>);

impl PagedBits {
    /// Creates an empty set for `length` bytes; `None` if the allocation fails.
    pub(crate) fn new(length: usize) -> Option<Self> {
        pages(length.div_ceil(PAGE as usize)).map(Self)
    }

    pub(crate) fn all_set(&self, first: u64, count: u64) -> bool {
        parts(first, count).all(|(page, first, count)| {
            self.0
                .get(page)
                .and_then(Option::as_deref)
                .is_some_and(|bits| all_set(bits, first, count))
        })
    }

    pub(crate) fn set_all(&mut self, first: u64, count: u64) {
        for (page, first, count) in parts(first, count) {
            if let Some(bits) = self.0.get_mut(page) {
                let bits = bits.get_or_insert_with(|| Box::new([0; PAGE as usize / 64]));
                set_all(&mut bits[..], first, count);
            }
        }
    }
}

/// Returns a page table without allocated pages; `None` if the allocation of the table fails.
pub(crate) fn pages<T>(count: usize) -> Option<Vec<Option<Box<T>>>> {
    let mut pages = Vec::new();
    pages.try_reserve_exact(count).ok()?;
    pages.resize_with(count, || None);
    Some(pages)
}

/// Splits a bit range at page boundaries. Returns, for each part of the range, the page index, the
/// first bit in the page, and the number of bits.
fn parts(first: u64, count: u64) -> impl Iterator<Item = (usize, u64, u64)> {
    let (mut bit, end) = (first, first + count);
    std::iter::from_fn(move || {
        (bit < end).then(|| {
            let (page, start) = (bit / PAGE, bit % PAGE);
            let count = (end - bit).min(PAGE - start);
            bit += count;
            (page as usize, start, count)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paged_bits_cross_pages() {
        let mut bits = PagedBits::new(3 * 4096 - 1).unwrap();
        assert!(!bits.all_set(0, 1));
        bits.set_all(4090, 4100);
        assert!(bits.all_set(4090, 4100));
        assert!(!bits.all_set(4089, 2));
        assert!(!bits.all_set(8189, 2));
        assert!(bits.all_set(8189, 1));
    }

    #[test]
    fn bits_cross_words() {
        let mut bits = vec![0; 3];
        set_all(&mut bits, 60, 70);
        assert!(all_set(&bits, 60, 70));
        assert!(!all_set(&bits, 59, 2));
        assert!(!all_set(&bits, 129, 2));
        assert_eq!(bits[1], !0);
    }
}
