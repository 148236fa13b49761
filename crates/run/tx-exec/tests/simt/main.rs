//! Runs kernels written in device IR and checks their results, or the fault that stops them.

mod barriers;
mod checks;
mod cluster;
mod convert;
mod errors;
mod floats;
mod memory;
mod orders;
mod pipeline;
mod print;
mod races;
mod shuffles;
mod vectors;
mod warp;

use tx_exec::{BufferId, Fault, Launch, Memory, Order, Param, Program, Report};

/// Loads a program from a file in `tests/kernels`.
macro_rules! program {
    ($name:literal) => {
        tx_exec::Program::load(include_str!(concat!("../kernels/", $name, ".mlir")))
            .expect(concat!($name, ".mlir loads"))
    };
}
pub(crate) use program;

/// Orders in which tests run kernels. Results must not depend on the order.
pub(crate) const ORDERS: [Order; 10] = {
    let [a, b, c, d, e, f, g] = Order::all(1);
    [
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        Order::WarpFirst(1),
        Order::WarpLast(1),
        Order::Shuffled(0xdead_beef),
    ]
};

pub(crate) fn launch(blocks: u32, threads: u32) -> Launch {
    Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        ..Launch::default()
    }
}

/// Global memory for a test: an output of `words` words, then inputs.
pub(crate) struct Buffers {
    pub(crate) memory: Memory,
    ids: Vec<BufferId>,
}

impl Buffers {
    pub(crate) fn new(words: usize) -> Self {
        let mut buffers = Self {
            memory: Memory::new(),
            ids: Vec::new(),
        };
        buffers.add(&vec![0; words * 4]);
        buffers
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) -> Param {
        let label = format!("argument {}", self.ids.len());
        let id = self.memory.alloc(label, bytes.len(), 16).unwrap();
        self.memory.write(id, 0, bytes).unwrap();
        self.ids.push(id);
        Param::Pointer(self.memory.address(id).unwrap())
    }

    pub(crate) fn add_words(&mut self, words: &[u32]) -> Param {
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.add(&bytes)
    }

    pub(crate) fn out(&self) -> Param {
        Param::Pointer(self.memory.address(self.ids[0]).unwrap())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.memory.len(self.ids[0]).unwrap()];
        self.memory.read(self.ids[0], 0, &mut bytes).unwrap();
        bytes
    }

    pub(crate) fn words(&self) -> Vec<u32> {
        self.bytes()
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }
}

pub(crate) fn int(value: u32) -> Param {
    Param::Int {
        bits: 32,
        value: value.into(),
    }
}

pub(crate) fn bit(value: bool) -> Param {
    Param::Int {
        bits: 1,
        value: value.into(),
    }
}

/// Launches a kernel that has no buffers.
pub(crate) fn run(
    program: &Program,
    kernel: &str,
    launch: &Launch,
    params: &[Param],
) -> Result<Report, Fault> {
    program.launch(kernel, launch, params, &mut Memory::new())
}

/// Returns `file:line:col` of the faulty operation, and of the other operation of the fault.
pub(crate) fn locations(fault: &Fault) -> (String, Option<String>) {
    (
        fault
            .site()
            .expect("the fault has a site")
            .location
            .to_string(),
        fault.other_site().map(|site| site.location.to_string()),
    )
}
