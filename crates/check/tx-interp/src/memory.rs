//! Memory buffers, and the checks on every access to a buffer.

use crate::cluster::Cluster;
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{NO_BOUND, View, located};
use tx_dialect_tile::CLEARED;
use tx_exec::happens_before::{AccessEvent, AccessKind, Clocks, Shadow};
use tx_mlir::memref::Space;
use tx_scalar::Bound;
use tx_scalar::number::Scalar;

const MOST_BYTES: i64 = 1 << 32;

pub(crate) struct Buffer {
    label: String,
    pub(crate) space: Space,
    pub(crate) bytes: Vec<u8>,
    /// For each byte, whether the byte was written; `None` if the buffer has initial contents.
    written: Option<Vec<bool>>,
    /// Set if the buffer is initialized with zeros, and must again contain only zeros when the
    /// program frees the buffer.
    cleared: bool,
    /// Size of an element in bytes, and the error bound of each element.
    bounds: Option<(usize, Vec<Bound>)>,
    /// Shadow memory with the previous accesses, for the race check.
    shadow: Option<Shadow>,
}

#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) launch: Option<Launch>,
}

/// Running kernel. Messages about a memory access contain the thread and block coordinates of the
/// accessing lane.
pub(crate) struct Launch {
    pub(crate) cluster: Cluster,
    pub(crate) clusters: [u64; 3],
    /// Number of clusters in all previous launches.
    pub(crate) before: u32,
}

impl Launch {
    /// Formats a lane of a cluster for messages. `cluster` is the index of the cluster among the
    /// clusters of all launches.
    fn name(&self, cluster: u32, lane: usize) -> String {
        let number = u64::from(cluster.wrapping_sub(self.before));
        self.cluster.nth(number, self.clusters).name(lane as u32)
    }
}

pub(crate) struct Accessor<'a> {
    pub(crate) clocks: &'a mut Clocks,
    pub(crate) thread: usize,
    pub(crate) site: u32,
}

impl Memory {
    /// Adds a buffer with initial contents, and returns its index.
    pub(crate) fn hold(&mut self, label: String, space: Space, bytes: Vec<u8>) -> usize {
        self.buffers.push(Buffer {
            label,
            space,
            bytes,
            written: None,
            cleared: false,
            bounds: None,
            shadow: None,
        });
        self.buffers.len() - 1
    }

    /// Adds an uninitialised buffer, and returns its index.
    pub(crate) fn allocate(
        &mut self,
        label: String,
        space: Space,
        bytes: i64,
        site: &Site,
    ) -> Result<usize, Trouble> {
        let count = usize::try_from(bytes).ok().filter(|_| bytes <= MOST_BYTES);
        let Some(count) = count else {
            let message = format!("{label} has {bytes} bytes, expected 0 to {MOST_BYTES}");
            return Err(Trouble::fault(FaultKind::OutOfBounds, site, message));
        };
        // The fill byte makes uninitialised values unlikely to look correct.
        let buffer = self.hold(label, space, vec![0xa5; count]);
        self.buffers[buffer].written = Some(vec![false; count]);
        Ok(buffer)
    }

    /// Returns a view of the buffer that contains an address; the view begins at the address.
    pub(crate) fn at(&self, address: i64, site: &Site) -> Result<View, Trouble> {
        let (buffer, offset) = located(address);
        let Some(bytes) = self.buffers.get(buffer).map(|b| b.bytes.len() as i64) else {
            let message = format!("an access at {address:#x}, where there is no memory");
            return Err(Trouble::fault(FaultKind::OutOfBounds, site, message));
        };
        let whole = View::row_major(buffer, (0, bytes), Vec::new());
        Ok(View {
            base: offset,
            ..whole
        })
    }

    /// Fills a buffer with zeros. The buffer must contain only zeros when the program frees the
    /// buffer.
    pub(crate) fn clear(&mut self, buffer: usize) {
        let buffer = &mut self.buffers[buffer];
        buffer.bytes.fill(0);
        buffer.written = None;
        buffer.cleared = true;
    }

    /// Returns an error if a buffer must contain only zeros, but contains a nonzero byte.
    pub(crate) fn check_cleared(&self, buffer: usize, site: &Site) -> Result<(), Trouble> {
        let buffer = &self.buffers[buffer];
        let left = buffer.bytes.iter().position(|byte| *byte != 0);
        match left.filter(|_| buffer.cleared) {
            None => Ok(()),
            Some(at) => {
                let message = format!(
                    "byte {at} of {} is {:#x} at its end, expected 0: a program must reset \
                     `{CLEARED}` memory for the next run",
                    buffer.label, buffer.bytes[at],
                );
                Err(Trouble::fault(FaultKind::Assertion, site, message))
            }
        }
    }

    /// Frees all buffers with an index of at least `from`.
    pub(crate) fn release(&mut self, from: usize) {
        self.buffers.truncate(from);
    }

    /// Orders all previous accesses before all future accesses. The interpreter calls
    /// `order_everything` at the start and at the end of a kernel.
    pub(crate) fn order_everything(&mut self) {
        for buffer in &mut self.buffers {
            buffer.shadow = None;
        }
    }

    /// Checks the bounds of an access to an element, and returns the byte offset of the element.
    fn locate(
        &self,
        view: &View,
        place: i64,
        bytes: usize,
        what: AccessKind,
        site: &Site,
    ) -> Result<usize, Trouble> {
        let size = bytes as i128;
        let start = i128::from(view.base) + i128::from(place) * size;
        let (low, high) = (i128::from(view.own.0), i128::from(view.own.1));
        if start < low || start + size > high {
            let message = format!(
                "{what} of {bytes} bytes at byte {} of {}, which has {} bytes",
                start - low,
                self.buffers[view.buffer].label,
                high - low,
            );
            return Err(Trouble::fault(FaultKind::OutOfBounds, site, message));
        }
        Ok(start as usize)
    }

    /// Records an access for the race check. Returns an error if a previous access conflicts with
    /// the recorded access, and no synchronization orders the two accesses.
    fn order(
        &mut self,
        number: usize,
        at: usize,
        bytes: usize,
        kind: AccessKind,
        accessor: Option<Accessor<'_>>,
    ) -> Result<(), Box<(tx_exec::happens_before::Conflict, usize, u32)>> {
        let Some(accessor) = accessor else {
            return Ok(());
        };
        let buffer = &mut self.buffers[number];
        if buffer.space == Space::Private {
            return Ok(());
        }
        let across = buffer.space != Space::Shared;
        if buffer.shadow.is_none() {
            buffer.shadow = Shadow::new(buffer.bytes.len(), across);
        }
        if across && kind == AccessKind::Atomic {
            let address = (number as u64) << 40 | at as u64;
            accessor.clocks.atomic(accessor.thread, address, true, true);
        }
        let (Some(shadow), Some(segment)) =
            (&mut buffer.shadow, accessor.clocks.segment(accessor.thread))
        else {
            return Ok(());
        };
        shadow
            .access(
                accessor.clocks,
                AccessEvent {
                    offset: at as u64,
                    bytes: bytes as u64,
                    kind,
                    site: accessor.site,
                    thread: accessor.thread,
                    segment,
                },
            )
            .map_err(|conflict| Box::new((conflict, accessor.thread, accessor.clocks.block())))
    }

    pub(crate) fn read(
        &mut self,
        view: &View,
        place: i64,
        scalar: Scalar,
        site: &Site,
        accessor: Option<Accessor<'_>>,
        sites: &[Site],
    ) -> Result<(u64, Option<Bound>), Trouble> {
        let bytes = scalar.bytes();
        let at = self.locate(view, place, bytes, AccessKind::Read, site)?;
        if let Some(written) = &self.buffers[view.buffer].written
            && !written[at..at + bytes].iter().all(|w| *w)
        {
            let message = format!(
                "read of byte {} of {}, which is uninitialized",
                at as i64 - view.own.0,
                self.buffers[view.buffer].label
            );
            return Err(Trouble::fault(FaultKind::Uninitialized, site, message));
        }
        self.order(view.buffer, at, bytes, AccessKind::Read, accessor)
            .map_err(|c| self.race(view, *c, AccessKind::Read, site, sites))?;
        let buffer = &self.buffers[view.buffer];
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(&buffer.bytes[at..at + bytes]);
        let mut bits = u64::from_le_bytes(word);
        if let Scalar::Int(width) = scalar {
            bits &= !0 >> (64 - width);
        }
        let bound = buffer.bounds.as_ref().and_then(|(unit, bounds)| {
            let bound = bounds[at / unit];
            (bound != NO_BOUND).then_some(bound)
        });
        Ok((bits, bound))
    }

    #[expect(clippy::too_many_arguments, reason = "an access is all of these")]
    pub(crate) fn write(
        &mut self,
        view: &View,
        place: i64,
        scalar: Scalar,
        bits: u64,
        bound: Option<Bound>,
        kind: AccessKind,
        site: &Site,
        accessor: Option<Accessor<'_>>,
        sites: &[Site],
    ) -> Result<(), Trouble> {
        let bytes = scalar.bytes();
        let at = self.locate(view, place, bytes, kind, site)?;
        self.order(view.buffer, at, bytes, kind, accessor)
            .map_err(|c| self.race(view, *c, kind, site, sites))?;
        let buffer = &mut self.buffers[view.buffer];
        buffer.bytes[at..at + bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        if let Some(written) = &mut buffer.written {
            written[at..at + bytes].fill(true);
        }
        if bound.is_some() && buffer.bounds.is_none() {
            buffer.bounds = Some((bytes, vec![NO_BOUND; buffer.bytes.len().div_ceil(bytes)]));
        }
        if let Some((unit, bounds)) = &mut buffer.bounds {
            // A view may have smaller elements than the view that stored the bounds.
            if bytes < *unit {
                let each = *unit / bytes;
                let spread =
                    |(i, bound): (usize, &Bound)| if i % each == 0 { *bound } else { NO_BOUND };
                let all = bounds
                    .iter()
                    .flat_map(|bound| (0..each).map(move |i| (i, bound)));
                *bounds = all.map(spread).collect();
                *unit = bytes;
            }
            bounds[at / *unit] = bound.unwrap_or(NO_BOUND);
        }
        Ok(())
    }

    fn race(
        &self,
        view: &View,
        (conflict, thread, block): (tx_exec::happens_before::Conflict, usize, u32),
        kind: AccessKind,
        site: &Site,
        sites: &[Site],
    ) -> Trouble {
        let buffer = &self.buffers[view.buffer];
        let first = sites
            .get(conflict.site as usize)
            .map_or_else(String::new, ToString::to_string);
        let name = |block, thread| {
            let launch = self.launch.as_ref();
            launch.map_or_else(String::new, |launch| launch.name(block, thread))
        };
        let message = format!(
            "race on {}, byte {} of {}: {} by {}, {first}, is not ordered before {kind} by {}",
            buffer.space.name(),
            conflict.offset as i64 - view.own.0,
            buffer.label,
            conflict.kind,
            name(conflict.block, conflict.thread),
            name(block, thread),
        );
        Trouble::fault(FaultKind::Race, site, message)
    }

    /// Returns the error bound of each element of a buffer, or `None` if all elements are exact.
    pub(crate) fn bounds(&self, buffer: usize, scalar: Scalar) -> Option<Vec<Option<Bound>>> {
        let buffer = &self.buffers[buffer];
        let (unit, bounds) = buffer.bounds.as_ref()?;
        let count = buffer.bytes.len() / scalar.bytes();
        Some(
            (0..count)
                .map(|i| Some(bounds[i * scalar.bytes() / unit]).filter(|b| *b != NO_BOUND))
                .collect(),
        )
    }
}
