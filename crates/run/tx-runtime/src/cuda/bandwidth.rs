//! Measurement of the read bandwidth of device memory.

use std::fmt::Write as _;

use cudarc::driver::result as driver;

use super::context::Context;
use super::devices::During;
use super::module::{Module, launch_kernel};
use super::resources::{Event, Memory};
use crate::bind::{Launch, Param};
use crate::error::Error;

/// Size in bytes of a pseudorandom block; copies of this block fill the measured memory.
const CHUNK: usize = 16 << 20;
const TIMES: usize = 11;

/// Name of the measurement kernel. The parameters of the measurement kernel are the address of the
/// data, and the address of a 4-byte result.
const KERNEL: &str = "tx_read";
/// Number of 16-byte vectors that a thread loads.
const VECTORS: usize = 8;

/// Returns the PTX of the measurement kernel. Each thread loads [`VECTORS`] vectors of 16 bytes,
/// and the vectors of a block are contiguous. A thread stores the XOR of its loaded data only if
/// the XOR equals a fixed 32-bit constant, so almost no thread stores its XOR. ptxas cannot remove
/// the loads, because the XOR depends on the loaded data.
fn ptx() -> String {
    let mut text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry {KERNEL}(.param .u64 data, .param .u64 out)\n{{\n\
         .reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b32 %v<{}>;\n.reg .b64 %d<5>;\n\
         ld.param.u64 %d0, [data];\nld.param.u64 %d1, [out];\n\
         cvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\n\
         mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %ctaid.x;\n\
         mul.wide.u32 %d2, %r2, %r1;\nmul.lo.u64 %d2, %d2, {VECTORS};\n\
         cvt.u64.u32 %d3, %r0;\nadd.u64 %d2, %d2, %d3;\nshl.b64 %d2, %d2, 4;\nadd.u64 %d2, %d2, %d0;\n\
         mul.wide.u32 %d4, %r1, 16;\nmov.u32 %r3, 0;\n",
        4 * VECTORS
    );
    for i in 0..VECTORS {
        let [a, b, c, d] = std::array::from_fn(|lane| 4 * i + lane);
        let _ = write!(
            text,
            "ld.global.cs.v4.u32 {{%v{a}, %v{b}, %v{c}, %v{d}}}, [%d2];\nadd.u64 %d2, %d2, %d4;\n"
        );
    }
    for i in 0..4 * VECTORS {
        let _ = writeln!(text, "xor.b32 %r3, %r3, %v{i};");
    }
    text.push_str("setp.eq.u32 %p, %r3, 0x9e3779b9;\n@%p st.global.u32 [%d1], %r3;\nret;\n}\n");
    text
}

impl Context {
    /// Measures the read bandwidth of the device in bytes per second, over `bytes` bytes. The
    /// returned bandwidth is the median of several measurements with the fastest block size.
    pub(crate) fn read_ceiling(&self, bytes: usize) -> Result<f64, Error> {
        self.make_current()?;
        let module = Module::load(self, &ptx())?;
        let memory = Memory::new(bytes, "the bytes that are read")?;
        let out = Memory::new(4, "what was read")?;
        // The contents are pseudorandom, because reads of zeros may be faster.
        let mut state = 1_u64;
        let chunk: Vec<u64> = (0..CHUNK / 8)
            .map(|_| {
                state = state
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                state
            })
            .collect();
        for at in (0..bytes / CHUNK * CHUNK).step_by(CHUNK) {
            // SAFETY: the whole chunk is within the memory.
            unsafe { driver::memcpy_htod_sync(memory.pointer + at as u64, &chunk) }
                .during(|| "filling memory".to_owned())?;
        }
        let buffers = [memory, out];
        let mut best = 0.0_f64;
        for threads in [128, 256, 512, 1024] {
            let tile = 16 * VECTORS * threads;
            let Ok(blocks) = u32::try_from(bytes / tile) else {
                continue;
            };
            let launch = Launch {
                kernel: KERNEL.to_owned(),
                when: Vec::new(),
                place: KERNEL.to_owned(),
                grid: [blocks, 1, 1],
                block: [threads as u32, 1, 1],
                cluster: None,
                dynamic_shared: 0,
                params: vec![Param::Address(0), Param::Address(1)],
            };
            let function = module.function(&launch)?;
            let mut times = Vec::new();
            for _ in 0..TIMES {
                let (start, end) = (Event::new()?, Event::new()?);
                start.record()?;
                // SAFETY: the null stream always exists.
                unsafe { launch_kernel(&launch, function, &buffers, std::ptr::null_mut()) }?;
                end.record()?;
                driver::ctx::synchronize().during(|| "reading memory".to_owned())?;
                times.push(start.until(&end)?);
            }
            times.sort();
            best = best.max((bytes / tile * tile) as f64 / times[TIMES / 2].as_secs_f64());
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn assembles() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("read.ptx");
        std::fs::write(&path, super::ptx()).unwrap();
        let root =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/tools/ptxas");
        let done = Command::new(root)
            .args(["-arch=sm_90", "-o"])
            .arg(folder.path().join("read.cubin"))
            .arg(&path)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}
