//! 08: each GPU reduces its shard of a matrix, and NCCL adds the results.
//!
//! The columns of the matrix are distributed over the GPUs. Each GPU computes the row sums of its
//! own shard in one launch. An NCCL all-reduce adds the row sums of all shards on every GPU. Either
//! one process uses all GPUs, or each GPU has its own process. The processes exchange the NCCL id
//! through a file.

use crate::program::{check, exact, numbers, on_cpu, sums_on_host};
use crate::{Failure, Options};

const ROWS: usize = 64;
const COLUMNS: usize = 5000;

fn shard(rank: usize) -> Vec<f32> {
    numbers(ROWS * COLUMNS, rank as u64)
}

/// Compares the computed row sums with reference sums in f64 over all shards.
fn verdict(who: &str, sums: &[f32], count: usize) -> Result<(), Failure> {
    let shards: Vec<Vec<f32>> = (0..count).map(shard).collect();
    let off = check(who, sums, &exact(&shards, ROWS))?;
    println!(
        "{who}: {ROWS} row sums of {count} x {COLUMNS} columns right, off by {off:.1e} of the \
         magnitudes at most"
    );
    Ok(())
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if options.device.is_none() {
        return run_on_cpu(options);
    }
    nccl::run(options)
}

fn run_on_cpu(options: &Options) -> Result<(), Failure> {
    let program = on_cpu(options)?;
    let count = options.gpus.unwrap_or(2);
    println!(
        "08 several GPUs on cpu: no NCCL here, {count} shards one by one, added up on the host"
    );
    let mut sums = vec![0_f32; ROWS];
    for rank in 0..count {
        let part = sums_on_host(&program, &shard(rank), ROWS)?;
        sums.iter_mut()
            .zip(part)
            .for_each(|(sum, part)| *sum += part);
    }
    verdict("cpu", &sums, count)
}

#[cfg(not(feature = "nccl"))]
mod nccl {
    use crate::{Failure, Options};

    pub(super) fn run(_: &Options) -> Result<(), Failure> {
        crate::program::gpus()?;
        Err(Failure::Cannot(
            "this build has no NCCL: build it with `--features nccl`".to_owned(),
        ))
    }
}

#[cfg(feature = "nccl")]
mod nccl {
    use std::ffi::c_char;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use std::{env, fs, thread};

    use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
    use cudarc::nccl::result::NcclError;
    use cudarc::nccl::{Comm, Id, ReduceOp, group_end, group_start};
    use tx_plan::Artifact;
    use tx_runtime::{Device, Executable};

    use super::{COLUMNS, ROWS, shard, verdict};
    use crate::custom_operation::RowSums;
    use crate::program::{gpus, row_sums};
    use crate::{Failure, Options};

    /// Maximum time that processes wait for each other to start.
    const PATIENCE: Duration = Duration::from_secs(60);

    impl From<NcclError> for Failure {
        fn from(error: NcclError) -> Self {
            Self::Cannot(format!(
                "NCCL answered {:?}; with NCCL_DEBUG=WARN in the environment it says more",
                error.0
            ))
        }
    }

    pub(super) fn run(options: &Options) -> Result<(), Failure> {
        let there = gpus()?;
        let count = options.gpus.unwrap_or(there);
        if count > there {
            return Err(Failure::Cannot(format!(
                "{count} GPUs were asked for, and there are {there}: NCCL takes one for each rank"
            )));
        }
        // SAFETY: loading the NCCL library runs its initializers, which have no preconditions.
        if !unsafe { cudarc::nccl::sys::is_culib_present() } {
            return Err(Failure::Cannot(
                "no NCCL: `libnccl.so` was not found; where it is `libnccl.so.2`, make a link of that name \
                 (`ln -s /somewhere/libnccl.so.2 libnccl.so`) and name its folder in LD_LIBRARY_PATH"
                    .to_owned(),
            ));
        }
        match (options.rank, &options.id) {
            (Some(rank), Some(id)) => one_of_several(options, rank, count, id),
            _ if options.processes => several(options, count),
            _ => one_process(options, count),
        }
    }

    struct Gpu {
        name: String,
        stream: Arc<CudaStream>,
        shard: CudaSlice<f32>,
        sums: CudaSlice<f32>,
    }

    impl Gpu {
        /// Opens the GPU whose ordinal is `rank`, and loads the program on the GPU.
        fn open(artifact: &Artifact, rank: usize) -> Result<(Executable, Self), Failure> {
            let context = CudaContext::new(rank)?;
            let stream = context.new_stream()?;
            let device = Device::cuda(rank)?;
            let gpu = Self {
                name: device.name(),
                shard: stream.clone_htod(&shard(rank))?,
                sums: stream.alloc_zeros(ROWS)?,
                stream,
            };
            Ok((device.load(artifact)?, gpu))
        }
    }

    fn one_process(options: &Options, count: usize) -> Result<(), Failure> {
        println!("08 several GPUs: one process with {count}");
        let artifact = row_sums(options)?;
        let opened = (0..count).map(|rank| Gpu::open(&artifact, rank));
        let (programs, mut gpus): (Vec<_>, Vec<_>) =
            opened.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let comms = Comm::from_devices(gpus.iter().map(|gpu| gpu.stream.clone()).collect())?;
        // Prepared programs must outlive their launches.
        let mut operations: Vec<_> = programs.iter().map(RowSums::new).collect();
        for (operation, gpu) in operations.iter_mut().zip(&mut gpus) {
            operation.call(&gpu.stream, &gpu.shard, COLUMNS, &mut gpu.sums)?;
        }
        // NCCL calls for several GPUs in one thread must be in a group, because each all-reduce
        // waits for the all-reduces of the other GPUs.
        group_start()?;
        for (comm, gpu) in comms.iter().zip(&mut gpus) {
            comm.all_reduce_in_place(&mut gpu.sums, &ReduceOp::Sum)?;
        }
        group_end()?;
        for (rank, gpu) in gpus.iter().enumerate() {
            let sums = gpu.stream.clone_dtoh(&gpu.sums)?;
            gpu.stream.synchronize()?;
            verdict(&format!("rank {rank} on {}", gpu.name), &sums, count)?;
        }
        Ok(())
    }

    /// Runs the example in this process on the GPU `rank`; other processes use the other GPUs.
    fn one_of_several(
        options: &Options,
        rank: usize,
        count: usize,
        file: &Path,
    ) -> Result<(), Failure> {
        if rank >= count {
            return Err(Failure::Cannot(format!(
                "rank {rank} of {count}: ranks count from 0"
            )));
        }
        let artifact = row_sums(options)?;
        let (program, mut gpu) = Gpu::open(&artifact, rank)?;
        let id = match rank {
            0 => publish(file)?,
            _ => find(file)?,
        };
        let comm = Comm::from_rank(gpu.stream.clone(), rank, count, id)?;
        let mut operation = RowSums::new(&program);
        operation.call(&gpu.stream, &gpu.shard, COLUMNS, &mut gpu.sums)?;
        comm.all_reduce_in_place(&mut gpu.sums, &ReduceOp::Sum)?;
        let sums = gpu.stream.clone_dtoh(&gpu.sums)?;
        gpu.stream.synchronize()?;
        let who = format!(
            "rank {rank} (process {}) on {}",
            std::process::id(),
            gpu.name
        );
        verdict(&who, &sums, count)
    }

    /// Creates an NCCL id, and writes it to the file that the other processes read.
    fn publish(file: &Path) -> Result<Id, Failure> {
        let id = Id::new()?;
        let bytes: Vec<u8> = id.internal().iter().map(|c| c.to_ne_bytes()[0]).collect();
        // The file is renamed after writing, so readers see a complete file.
        let aside = file.with_extension("part");
        fs::write(&aside, bytes)
            .and_then(|()| fs::rename(&aside, file))
            .map_err(|error| Failure::Cannot(format!("{}: {error}", file.display())))?;
        Ok(id)
    }

    fn find(file: &Path) -> Result<Id, Failure> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Ok(bytes) = fs::read(file) {
                let id: Vec<_> = bytes.iter().map(|b| c_char::from_ne_bytes([*b])).collect();
                let id = id.try_into().map_err(|_| {
                    Failure::Cannot(format!("{} holds no id of NCCL", file.display()))
                })?;
                return Ok(Id::uninit(id));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(Failure::Cannot(format!(
            "rank 0 did not write {} within {} s",
            file.display(),
            PATIENCE.as_secs()
        )))
    }

    fn several(options: &Options, count: usize) -> Result<(), Failure> {
        println!("08 several GPUs: {count} processes with one each");
        let program = env::current_exe()
            .map_err(|error| Failure::Cannot(format!("where is this program? {error}")))?;
        let file = env::temp_dir().join(format!("tx-example-08-{}.id", std::process::id()));
        let start = |rank: usize| {
            let mut command = Command::new(&program);
            command
                .args([
                    "08",
                    "--rank",
                    &rank.to_string(),
                    "--gpus",
                    &count.to_string(),
                    "--id",
                ])
                .arg(&file);
            let given: [(&str, &Option<PathBuf>); 2] =
                [("--ptx", &options.ptx), ("--plan", &options.plan)];
            for (name, value) in given {
                if let Some(value) = value {
                    command.arg(name).arg(value);
                }
            }
            command
                .spawn()
                .map_err(|error| Failure::Cannot(format!("process {rank}: {error}")))
        };
        let mut children = Vec::new();
        for rank in 0..count {
            match start(rank) {
                Ok(child) => children.push(child),
                Err(failure) => {
                    stop(&mut children);
                    return Err(failure);
                }
            }
        }
        let done = wait(&mut children);
        let _ = fs::remove_file(&file);
        done?;
        println!("{count} processes have the same sums");
        Ok(())
    }

    /// Waits for all processes. If one process fails, the function stops the other processes,
    /// because these processes would wait forever for the failed process.
    fn wait(children: &mut [Child]) -> Result<(), Failure> {
        let mut open: Vec<usize> = (0..children.len()).collect();
        while !open.is_empty() {
            let mut ended = Vec::new();
            for rank in &open {
                match children[*rank].try_wait() {
                    Ok(None) => {}
                    Ok(Some(status)) if status.success() => ended.push(*rank),
                    Ok(Some(status)) => {
                        stop(children);
                        let what = format!("the process of rank {rank} ended with {status}");
                        return Err(match status.code() {
                            Some(3) => Failure::Wrong(what),
                            _ => Failure::Cannot(what),
                        });
                    }
                    Err(error) => {
                        stop(children);
                        return Err(Failure::Cannot(format!("process {rank}: {error}")));
                    }
                }
            }
            open.retain(|rank| !ended.contains(rank));
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn stop(children: &mut [Child]) {
        for child in children {
            // The error of `kill` for a process that has already ended is ignored.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
