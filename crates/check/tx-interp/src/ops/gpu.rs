//! Ops of `gpu`: thread indices, launches, barriers and shuffles.

use crate::build::{Build, scalars_of};
use crate::cluster::WARP;
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::ops::barrier::arrive_all;
use crate::ops::launch::launch;
use crate::ops::shuffle::{ShuffleMode, check_whole_warps, shuffle};
use crate::ops::thread_index::{per_thread, thread_index_of};
use crate::site::Site;
use crate::trouble::Trouble;
use tx_mlir::gpu::DYNAMIC_SHARED;
use tx_mlir::{Op, enumerator_of, name, operands};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op);
    if let Some(number) = thread_index_of(op) {
        let to = to[0];
        return Ok(Some(Box::new(move |exec| {
            per_thread(exec, to, |cluster, lane| number.of(cluster, lane))
        })));
    }
    Ok(Some(match name(op) {
        "gpu.barrier" => {
            let site = Site::of(op);
            Box::new(move |exec| arrive_all(exec, &site))
        }
        DYNAMIC_SHARED => super::memref::dynamic_shared(op, to[0]),
        // The validation does not compare printed text between runs.
        "gpu.printf" => Box::new(|_| Ok(())),
        "gpu.shuffle" => {
            let (_, width) = scalars_of(op, operands(op)[0])?;
            let mode = enumerator_of(op, "mode").unwrap_or_default();
            let mode = ShuffleMode::parse(mode)
                .ok_or_else(|| Trouble::unsupported(op, format!("of mode {mode}")))?;
            let site = Site::of(op);
            Box::new(move |exec| {
                check_whole_warps(exec, &site)?;
                let ask = |exec: &Exec<'_>, lane: u32| {
                    let width = exec.int(slots[2], lane) as u32;
                    let at = lane % WARP;
                    // For `up`, the clamp is the lowest source lane instead of the highest.
                    let clamp = if matches!(mode, ShuffleMode::Up) {
                        0
                    } else {
                        WARP - 1
                    };
                    let source = mode.source(at, exec.int(slots[1], lane) as u32, 0, clamp);
                    let inside = at < width && source.1 && source.0 < width;
                    (if inside { source.0 } else { at }, inside)
                };
                shuffle(exec, slots[0], width, &to, None, ask, &site)
            })
        }
        "gpu.launch_func" => launch(op, build)?,
        "gpu.wait" => Box::new(|_| Ok(())),
        _ => return Ok(None),
    }))
}
