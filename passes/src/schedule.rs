use crate::analysis::constants::{check_host, erase_unused};
use crate::analysis::target::chip_option;
use crate::grid::launch::{Kernels, Launch, erase_group};
use crate::grid::launches::{Branches, launches};
use crate::grid::plan::{Unit, plan_module};
use tx_mlir::{Builder, Failed, Op, enclosing, erase, string_attribute};
use tx_pass::{Counts, Pass, pass};

pass! {
    /// Make kernels of work on whole arrays.
    ///
    /// ## What it does
    /// Turns every `tile.reduce` at scope `grid`, every element-wise `linalg` op and every
    /// `memref.copy` of a host function into a kernel and its `gpu.launch_func`, as its `schedule`
    /// says; where there is none, a default is chosen. The schedule that was followed stands on the
    /// kernel, and where it is for some lengths only, these (`lengths`).
    ///
    /// * `#tile.split<"d1" by 16>` cuts loop `d1` into `d1.o` and `d1.i`; the latter has 16
    ///   iterations. `#tile.fuse<["d0", "d1"] to "p">` makes one loop of several.
    ///   `#tile.reorder<"d1.o", "d0.i">` nests loops in this order.
    /// * `#tile.bind<"d0.o" to block_x>` runs the iterations of a loop on blocks or threads. A
    ///   reduced loop on threads is a cross-thread reduction, whose result the first thread stores.
    ///   On `cluster_x` it is one across the blocks of a cluster (sm_90), through their shared memory;
    ///   `block_x` beside it counts clusters.
    /// * `#tile.rfactor<"d1.i">` keeps partial results of a reduced loop: in registers when it is
    ///   bound to threads, else in global memory, and a second kernel combines them.
    /// * `#tile.unroll<"d1.i">` writes the iterations out; `#tile.vectorize<"d1.i">` also loads
    ///   what they read at once, and gives each a partial result of its own. What is written out is
    ///   loaded before anything of it is combined.
    /// * `#tile.align<"d1" to 4>` cuts a reduced dimension into vectors that begin at aligned
    ///   addresses, wherever a row begins; `#tile.stream` says that caches need not keep what is
    ///   read once.
    /// * `#tile.resident<1024>` has the registers of a multiprocessor do for so many threads, which
    ///   then take more of them.
    /// * `#tile.hold<"tmp0" in registers>`, in the schedule of a group of ops, keeps a value in the threads that have
    ///   it from one phase to the next; a temporary that is held and that nobody else reads is gone.
    /// * `#tile.hold<"in0" in shared>`, in the schedule of an element-wise op, has each block load what its threads
    ///   read of a source into shared memory first, along the rows of the source: for transposes.
    /// * `#tile.last_block` makes one kernel where partial results go through global memory: the
    ///   block that is last to leave its own combines all of them, in the same order always.
    /// * `#tile.case<"d1" to 64, [...]>` and `#tile.otherwise<[...]>` are schedules for some
    ///   lengths: a kernel each, and an `scf.if` of the host function that launches the one for
    ///   the length that it is given.
    ///   Those of a group, `#tile.case<"r0" to 64, [...]>`, are about a loop of a row, and need not end with
    ///   `#tile.otherwise`: each op is a kernel of its own then where a row is longer than in all cases.
    ///
    /// A constant array that a kernel reads, `memref.get_global` of a `memref.global constant` or a view of one, is
    /// no argument of it: the `gpu.module` gets a copy of the `memref.global`, and the kernel a `memref.get_global`.
    /// The constant arrays of a module take up to 64 MiB.
    ///
    /// Sizes that must agree and are known at run time only are compared on the host before the launch
    /// (`cf.assert`): with others, elements outside of an array would be read or written.
    ///
    /// Sizes that are no multiple of a factor are guarded. Of a loop over whole tiles the full part
    /// comes first, without guards, and then the rest; of a loop within a tile that is not full,
    /// the end is moved. Rows of unknown length whose elements lanes load one by one, several each,
    /// are guarded throughout, in half the code. One tile of up to 64 elements is loaded without
    /// branches: where there is no element, the first. A loop over more blocks than a grid can have
    /// takes turns.
    ///
    /// `tile-choose-schedule` only writes schedules on ops, and `tile-list-candidates` other schedules that an op
    /// might have.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid)
    ///     {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.bind<"d0.o" to block_x>,
    ///                  #tile.bind<"d0.i" to thread_y>, #tile.bind<"d1.i" to thread_x>]}
    ///     : memref<?x?xf32> into memref<?xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// gpu.module @rows_kernels {
    ///   gpu.func @rows_0(%A: memref<?x?xf32>, %B: memref<?xf32>) kernel
    ///       attributes {known_block_size = array<i32: 16, 32, 1>, schedule = [...]} {
    ///     %row = ... // 32 * block + thread_y
    ///     %part = scf.if %row_is_inside -> (f32) {
    ///       %full = scf.for ... { ... } // whole tiles of 16
    ///       %rest = scf.if ... { ... }  // what is left
    ///       ...
    ///     }
    ///     %sum = tile.all_reduce sum %part scope(warp) width 16 stride 1 ... : f32 -> f32
    ///     scf.if %first_and_inside {
    ///       %result = arith.select %is_empty, %zero, %sum : f32
    ///       memref.store %result, %B[%row] ... : memref<?xf32>
    ///     }
    ///     gpu.return
    ///   }
    /// }
    /// func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
    ///   gpu.launch_func @rows_kernels::@rows_0 blocks in (%b, %c1, %c1) threads in (%c16, %c32, %c1)
    ///     args(%A : memref<?x?xf32>, %B : memref<?xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// A schedule names an unknown loop, binds two loops to one processor, takes more than 1024
    /// threads or 16 blocks of a cluster, or binds a reduced loop to blocks without `rfactor` and
    /// where atomics are not permitted (`determinism = #tile.determinism<any>`); cases do not take
    /// all lengths, or one of them has blocks that combine into one result; an output overlaps an
    /// input or itself, or is a constant array; constant arrays take more than 64 MiB; or an op does not stand in the body of a function.
    pub struct Schedule as "tile-schedule" creates [arith, cf, gpu, llvm, memref, nvvm, scf, tile, vector] {
        /// chip that schedules are chosen for
        chip: String = "sm_80",
    } counts {
        /// kernels made
        kernels,
        /// schedules chosen
        chosen,
    }
}

impl Pass for Schedule {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let chip = chip_option(module, &Self::INFO, &self.chip)?;
        let mut kernels: Vec<Kernels<'c>> = Vec::new();
        let planned = plan_module(module, &chip)?;
        let mut hosts: Vec<Op<'c>> = Vec::new();
        for host in planned
            .iter()
            .filter_map(|unit| enclosing(unit.first(), "func.func"))
        {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        hosts.iter().try_for_each(|host| check_host(*host))?;
        for unit in planned {
            counts.add("chosen", i64::from(unit.is_chosen()));
            match unit {
                Unit::Op(planned) => {
                    let op = planned.job.op;
                    let kernels = kernels_of(&mut kernels, op);
                    // Once: sizes of parts follow from those of the whole.
                    let has_parts = planned.has_parts();
                    if has_parts {
                        planned.job.assert_sizes(&Builder::before(op));
                    }
                    for launch in launches(&planned, op, chip.clusters)? {
                        kernels.add(&launch, !has_parts);
                        counts.add("kernels", 1);
                    }
                    erase(op);
                }
                Unit::Group(group) => {
                    let ops = group.ops();
                    let Some(last) = ops.last() else { continue };
                    let kernels = kernels_of(&mut kernels, *last);
                    let b = Builder::before(*last);
                    for phase in &group.group.phases {
                        phase.job.assert_sizes(&b);
                    }
                    let mut branches = Branches::new(*last);
                    for case in &group.cases {
                        let (at, only) = group.enter(case, &mut branches);
                        kernels.add_group(&group.group, case, &only, at);
                        counts.add("kernels", 1);
                    }
                    for planned in &group.rest {
                        for launch in launches(planned, branches.at, chip.clusters)? {
                            let only = [branches.left.clone(), launch.only.clone()].concat();
                            kernels.add(&Launch { only, ..launch }, false);
                            counts.add("kernels", 1);
                        }
                    }
                    erase_group(ops, &group.own);
                }
            }
        }
        erase_unused(module, &hosts);
        Ok(())
    }
}

/// Where the kernels of the host function go that `op` stands in.
fn kernels_of<'a, 'c>(kernels: &'a mut Vec<Kernels<'c>>, op: Op<'c>) -> &'a mut Kernels<'c> {
    let host = enclosing(op, "func.func")
        .and_then(|f| string_attribute(f, "sym_name"))
        .unwrap_or_default();
    let known = kernels.iter().position(|k| k.host == host);
    let i = known.unwrap_or_else(|| {
        kernels.push(Kernels::of(host));
        kernels.len() - 1
    });
    &mut kernels[i]
}
