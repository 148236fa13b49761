//! Ranges of bytes, and sets of them as one bit for each.

/// Whether `bytes` bytes from `offset` on are inside `length` bytes. An offset below 0 has wrapped around.
pub(crate) fn contains(length: u64, offset: u64, bytes: u64) -> bool {
    offset < length && bytes <= length - offset
}

/// Calls `each` with the words that hold `count` bits from bit `first` on, and the mask of those bits.
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

#[cfg(test)]
mod tests {
    use super::*;

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
