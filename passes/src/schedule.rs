use crate::analysis::constants::{check_host, erase_unused};
use crate::analysis::target::chip_option;
use crate::grid::launch::{Kernels, Launch, erase_group};
use crate::grid::launches::{Branches, launches};
use crate::grid::plan::{Unit, plan_module};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{Builder, Failed, Op, enclosing, erase, string_attribute};

pass! {
    /// Lower grid-level ops to kernels.
    ///
    /// ## What it does
    /// Replaces every `tile.reduce` at scope `grid`, every element-wise `linalg` op and every
    /// `memref.copy` of a host function by a kernel and its `gpu.launch_func`. The attribute
    /// `schedule` of an op determines the loops of its kernel. The pass chooses a schedule for an
    /// op without a schedule. The attribute `schedule` of each kernel contains the schedule with
    /// which the pass created the kernel. A kernel for a range of loop lengths also has the
    /// attribute `lengths`.
    ///
    /// The reference of the dialect `tile` describes the steps of a schedule.
    ///
    /// | step | effect |
    /// |---|---|
    /// | `#tile.split<"d1" by 16>` | splits loop `d1` into `d1.o` and `d1.i`; `d1.i` has 16 iterations |
    /// | `#tile.fuse<["d0", "d1"] to "p">` | fuses several loops into one |
    /// | `#tile.reorder<"d1.o", "d0.i">` | nests loops in the given order |
    /// | `#tile.bind<"d0.o" to block_x>` | distributes a loop over blocks, blocks of a cluster, or threads |
    /// | `#tile.rfactor<"d1.i">` | computes a separate partial result for each iteration of a reduced loop |
    /// | `#tile.last_block` | combines partial results in global memory without a second kernel |
    /// | `#tile.unroll<"d1.i">` | unrolls a loop; all loads precede the ops that combine the elements |
    /// | `#tile.vectorize<"d1.i">` | unrolls a loop, with vector loads and one accumulator per iteration |
    /// | `#tile.align<"d1" to 4>` | splits a reduced dimension into vectors at aligned addresses |
    /// | `#tile.stream` | marks loads of elements that the kernel reads once as evict-first |
    /// | `#tile.evict_last` | gives loads the L2 eviction policy `evict_last` |
    /// | `#tile.prefetch` | loads all inputs that registers hold before the first op of a group |
    /// | `#tile.resident<1024>` | limits registers, so that 1024 threads can be resident per SM |
    /// | `#tile.hold<"tmp0" in registers>` | keeps a value of a group in registers between phases |
    /// | `#tile.hold<"in0" in shared>` | stages a source of an element-wise op in shared memory |
    /// | `#tile.case<"d1" to 64, [...]>` | schedule for lengths up to a bound, a separate kernel |
    /// | `#tile.case<"d1" to 64 multiple_of 4, [...]>` | schedule for the multiples of 4 up to a bound |
    /// | `#tile.otherwise<[...]>` | schedule for lengths beyond the bounds of all cases |
    ///
    /// If a schedule has `#tile.case` steps, an `scf.if` in the host function selects the kernel by
    /// the loop length at run time.
    ///
    /// A constant array is a `memref.get_global` of a `memref.global constant`, or a view of such a
    /// `memref.get_global`. A constant array that a kernel reads is not a kernel argument: the pass
    /// copies the `memref.global` to the `gpu.module`, and the kernel contains a
    /// `memref.get_global`.
    ///
    /// A `cf.assert` before the launch compares dynamic sizes that must be equal.
    ///
    /// If the length of a loop is not a multiple of its split factor, the kernel has bounds checks.
    /// A loop over tiles becomes a loop over full tiles without bounds checks, followed by a
    /// remainder with bounds checks. In a partial tile, the loops inside the tile have a smaller
    /// upper bound than in a full tile. The loop over a row of dynamic length has bounds checks in
    /// all iterations if each thread loads several elements of the row one by one. An additional
    /// loop over full tiles without bounds checks would double the code size. If a loop has a
    /// single tile of up to 64 elements, the tile is loaded without branches: out-of-range
    /// iterations load the element at index 0 instead. If a loop needs more blocks than a grid can
    /// have, the loop becomes a grid-stride loop.
    ///
    /// The pass `tile-choose-schedule` chooses the same schedules as `tile-schedule`, writes the
    /// schedules as attributes, and creates no kernels. `tile-list-candidates` lists alternative
    /// schedules of each op.
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
    /// The pass rejects a schedule that names an unknown loop, binds two loops to one processor, or
    /// needs more than 1024 threads per block or 16 blocks per cluster. The pass rejects a schedule
    /// that binds a reduced loop to blocks without `rfactor`, unless the attribute `determinism`
    /// permits atomics (`#tile.determinism<any>`). The pass rejects a schedule with `#tile.case`
    /// steps if several blocks compute one result in the kernel of a case, or, outside a group, if
    /// the cases do not cover all loop lengths. An output must not overlap an input, must not be a
    /// constant array, and must not map several indices to one element. A constant array must not
    /// exceed 64 MiB. Every grid-level op must be directly in the body of a function.
    pub struct Schedule as "tile-schedule" creates [arith, cf, gpu, llvm, memref, nvvm, scf, tile, vector] {
        /// chip for which schedules are chosen
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
                    let op = planned.grid_op.op;
                    let kernels = kernels_of(&mut kernels, op);
                    // The sizes of the parts of an array follow from the sizes of the array, so one
                    // check suffices.
                    let has_parts = planned.has_parts();
                    if has_parts {
                        planned.grid_op.assert_sizes(&Builder::before(op));
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
                        phase.grid_op.assert_sizes(&b);
                    }
                    let mut branches = Branches::new(*last);
                    for case in &group.cases {
                        let (at, only) = branches.of_case(&group, case);
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

/// Returns the kernels of the host function that contains `op`.
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
