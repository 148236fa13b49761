// The `tile` dialect: the single source of its C++ classes, its Rust builders and its reference.
#ifndef TILE_TD
#define TILE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "Reductions over tiles of memory and of registers";
  let description = [{
    A tile is a rectangular region of memory or of registers. A tile of memory is a `memref`;
    strides, an offset and dynamic sizes are supported. A tile of registers is a `!tile.fragment`:
    an SSA value that a `#tile.layout` distributes over threads. The `scope` of an op, such as
    `warp` or `cta`, is the set of threads that execute the op together. Tile ops behave as if the
    threads executed them in program order, so programs need no barriers.
  }];
  let cppNamespace = "::tx::tile";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // These hooks verify attributes named `tile.…` on any op, on its arguments and on its results.
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class Tile_Enum<string name, string mnemonic, string summary, list<string> names>
    : I32EnumAttr<name, summary,
        !foreach(i, !range(!size(names)), I32EnumAttrCase<"E_" # names[i], i, names[i]>)> {
  let cppNamespace = "::tx::tile";
  let genSpecializedAttr = 0;
  string attrMnemonic = mnemonic;
  string words = !interleave(names, ", ");
  // Names of the Rust variants and their doc comments, in the order of `names`.
  list<string> variants;
  list<string> docs;
}

class Tile_EnumAttr<Tile_Enum of, string docs> : EnumAttr<Tile_Dialect, of, of.attrMnemonic> {
  // MLIR prints this summary as the expected attribute when it finds another one.
  let summary = of.summary # ": `#tile." # of.attrMnemonic # "<WORD>`, where WORD is one of " # of.words;
  let description = docs;
  let assemblyFormat = "`<` custom<Word>($value, \"\\\"" # of.attrMnemonic # "\\\"\") `>`";
}

def Tile_Kind : Tile_Enum<"Kind", "kind", "what a reduction computes",
    ["sum", "prod", "max", "min", "umax", "umin", "and", "or", "xor", "argmax", "argmin", "custom"]> {
  let variants = ["Sum", "Prod", "Max", "Min", "UMax", "UMin", "And", "Or", "Xor", "ArgMax",
    "ArgMin", "Custom"];
  let docs = [
    "Sum.",
    "Product.",
    "Maximum (integers are signed).",
    "Minimum (integers are signed).",
    "Maximum of unsigned integers.",
    "Minimum of unsigned integers.",
    "Bitwise and.",
    "Bitwise or.",
    "Bitwise exclusive or.",
    "Maximum and its index.",
    "Minimum and its index.",
    "A combiner region."];
}
def Tile_KindAttr : Tile_EnumAttr<Tile_Kind, [{
  The operation that combines the elements of a reduction. Integers are signless; `max` and `min`
  compare them as signed. `custom` has a combiner region.
}]>;

def Tile_Scope : Tile_Enum<"Scope", "scope", "the threads that execute an op together",
    ["thread", "warp", "warpgroup", "cta", "cluster", "grid"]> {
  let variants = ["Thread", "Warp", "Warpgroup", "Cta", "Cluster", "Grid"];
  let docs = [
    "One thread.",
    "A warp of 32 lanes.",
    "Four consecutive warps.",
    "The CTA (thread block).",
    "The cluster.",
    "The whole grid, for ops of host functions."];
}
def Tile_ScopeAttr : Tile_EnumAttr<Tile_Scope, [{
  The threads that execute an op together: one thread, a warp of 32 lanes, a warpgroup, the CTA, the
  cluster, or the whole grid. A warpgroup is four consecutive warps; the index of the first is a
  multiple of 4. An op of scope `grid` stands in a host function and becomes kernels.
}]>;

def Tile_Nan : Tile_Enum<"Nan", "nan", "what NaN does in max, min, argmax and argmin",
    ["propagate", "ignore"]> {
  let variants = ["Propagate", "Ignore"];
  let docs = [
    "NaN wins.",
    "NaN never wins unless all elements are NaN."];
}
def Tile_NanAttr : Tile_EnumAttr<Tile_Nan, [{
  `propagate`: NaN wins. `ignore`: NaN never wins unless all elements are NaN.
}]>;

def Tile_Determinism : Tile_Enum<"Determinism", "determinism", "which results must have equal bits",
    ["any", "run_to_run", "batch_invariant"]> {
  let variants = ["Any", "RunToRun", "BatchInvariant"];
  let docs = [
    "Float atomics are permitted.",
    "The same program, shapes and chip give the same bits in each run.",
    "The bits of a row also do not depend on the number of rows."];
}
def Tile_DeterminismAttr : Tile_EnumAttr<Tile_Determinism, [{
  `any` permits float atomics. `run_to_run`: the same program, shapes and chip give the same bits in
  each run. `batch_invariant`: the bits of a row also do not depend on the number of rows.
}]>;

def Tile_Fusion : Tile_Enum<"Fusion", "fusion", "which ops of a function may share a kernel",
    ["none", "exact", "algebraic"]> {
  let variants = ["None", "Exact", "Algebraic"];
  let docs = [
    "Each op is a kernel of its own.",
    "Ops may share a kernel; the operations on each element stay as written.",
    "Two dependent reductions may also become one pass over the data."];
}
def Tile_FusionAttr : Tile_EnumAttr<Tile_Fusion, [{
  `none`: each op of the function is a kernel of its own. `exact`: ops may share a kernel, and the
  operations on each element stay as written. `algebraic`: two dependent reductions may also be
  rewritten as one pass over the data, if a checked property of their combiners permits the rewrite.
}]>;

def Tile_Math : Tile_Enum<"Math", "math", "how elementary functions and quotients of a function are computed",
    ["exact", "approx"]> {
  let variants = ["Exact", "Approx"];
  let docs = [
    "Errors within one unit in the last place for most functions; quotients are correctly rounded.",
    "Approximate instructions of the chip."];
}
def Tile_MathAttr : Tile_EnumAttr<Tile_Math, [{
  `exact`: quotients are correctly rounded, and most functions have errors within one unit in the
  last place. `approx`: `exp`, `exp2`, `log`, `log2`, `log10`, `rsqrt`, `sqrt` and quotients of f32
  and narrower types use the approximate instructions of the chip. The documentation of the pass
  `gpu-expand-math` lists the errors of both.
}]>;

def Tile_Residency : Tile_Enum<"Residency", "residency", "where a value of a kernel stays between its phases",
    ["registers", "shared", "cluster", "reload"]> {
  let variants = ["Registers", "Shared", "Cluster", "Reload"];
  let docs = [
    "In the registers of the threads that loaded or computed it.",
    "In the shared memory of a block.",
    "In the shared memory of the blocks of a cluster. Reserved: no schedule may use it.",
    "In global memory; each phase loads the value again."];
}

def Tile_Axis : Tile_Enum<"Axis", "axis", "a dimension of the machine that a layout maps to",
    ["reg", "lane", "warp", "warp_in_group", "thread_in_group", "warpgroup", "thread"]> {
  let variants = ["Reg", "Lane", "Warp", "WarpInGroup", "ThreadInGroup", "Warpgroup", "Thread"];
  let docs = ["Register slot of one thread.", "Lane of a warp.", "Warp of the CTA.", "Warp of a warpgroup.",
    "Thread of a warpgroup.", "Warpgroup of the CTA.", "Linear thread of the CTA."];
}

def Tile_Processor : Tile_Enum<"Processor", "processor", "what a loop is bound to",
    ["block_x", "block_y", "block_z", "cluster_x", "cluster_y", "cluster_z", "thread_x", "thread_y",
     "thread_z"]> {
  let variants = ["BlockX", "BlockY", "BlockZ", "ClusterX", "ClusterY", "ClusterZ", "ThreadX",
    "ThreadY", "ThreadZ"];
  let docs = ["Blocks along x.", "Blocks along y.", "Blocks along z.", "Blocks of a cluster along x.",
    "Blocks of a cluster along y.", "Blocks of a cluster along z.", "Threads along x.", "Threads along y.",
    "Threads along z."];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Tile_Attr<string name, string attrMnemonic> : AttrDef<Tile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

// An attribute without parameters. Its parser rejects `<…>`, which MLIR would otherwise ignore.
class Tile_BareAttr<string name, string attrMnemonic> : Tile_Attr<name, attrMnemonic> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      if (failed(parser.parseOptionalLess()))
        return get(parser.getContext());
      coded(TX0039, parser.emitError(parser.getCurrentLocation()))
          << "`#tile." << getMnemonic() << "` has no parameters";
      return {};
    }
    void $cppClass::print(::mlir::AsmPrinter &) const {}
  }];
}

def Tile_IterAttr : Tile_Attr<"Iter", "iter"> {
  let summary = "one entry of a layout";
  let description = [{
    In a `#tile.layout`, the entry `<extent : stride axis>` stands for `extent` coordinates that are
    `stride` apart along `axis`. In the offset list of a layout, an entry such as `<2 : constant
    lane>` adds 2 to the lane number of each element.
  }];
  let parameters = (ins "int64_t":$extent, "int64_t":$stride, EnumParameter<Tile_Axis>:$axis);
  let assemblyFormat = "`<` $extent `:` $stride custom<Word>($axis, \"\\\"axis\\\"\") `>`";
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout"> {
  let summary = "threads and registers that hold the elements of a fragment";
  let description = [{
    The row-major linear index of an element is split into one coordinate per entry of the shard
    list; the coordinate of the last entry varies fastest. The position of an element along an axis,
    such as its lane or register, is the sum of coordinate times stride over all shard entries of
    this axis. An element has one copy for each tuple of coordinates of the `replica` entries. The
    position of a copy is the position of the element plus the sum of each replica coordinate times
    its stride. An entry of the `offset` list adds a constant to the positions of all elements along
    the axis of the entry.

    ```mlir
    #acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
    #row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"IterAttr">:$shard,
                        OptionalArrayRefParameter<"IterAttr">:$replica,
                        OptionalArrayRefParameter<"IterAttr">:$offset);
  let assemblyFormat = "`<` custom<LayoutBody>($shard, $replica, $offset) `>`";
  let genVerifyDecl = 1;
}

def Tile_SplitAttr : Tile_Attr<"Split", "split"> {
  let summary = "split a loop in two";
  let description = [{
    `#tile.split<"d0" by 32>` splits the loop `d0` into `d0.o` and `d0.i`; `d0.i` has 32 iterations.
  }];
  let parameters = (ins StringRefParameter<>:$loop, "int64_t":$factor);
  let assemblyFormat = "`<` $loop `by` $factor `>`";
}

def Tile_AlignAttr : Tile_Attr<"Align", "align"> {
  let summary = "split a reduced loop into aligned vectors";
  let description = [{
    `#tile.align<"d1" to 4>` splits `d1` into `d1.o` and `d1.i`, as `#tile.split` by 4 does. After
    `#tile.align<"d1" to 4>`, each vector of the loop `d1.i` begins at a multiple of four elements
    from the start of the array, even if the row does not begin at such a multiple. If an op has
    several source arrays, `#tile.align` aligns the vectors in the first of these arrays whose
    elements along `d1` are contiguous. With the factor 4 of `#tile.align`, at most three elements
    precede the first vector of a row, and at most three follow the last vector. With `#tile.align`,
    scalar loads read the elements of a row before the first vector and after the last vector; the
    threads that execute `d1.o` perform these loads. The factor of `#tile.align` must be a power of
    two.
  }];
  let parameters = (ins StringRefParameter<>:$loop, "int64_t":$factor);
  let assemblyFormat = "`<` $loop `to` $factor `>`";
}

def Tile_BindAttr : Tile_Attr<"Bind", "bind"> {
  let summary = "distribute the iterations of a loop over blocks or threads";
  let description = [{
    `#tile.bind<"d0.o" to block_x>` distributes `d0.o` over blocks. The target of `#tile.bind` is
    `block_x|y|z`, `cluster_x|y|z` or `thread_x|y|z`; at most one loop is bound to each target. If a
    loop over a reduced dimension is bound to threads, these threads combine their partial results,
    and the first of these threads stores the result. A loop bound to `cluster_x` runs on the blocks
    of a cluster (sm_90 and later), which exchange partial results through distributed shared
    memory. If a schedule binds loops to both `cluster_x` and `block_x`, each iteration of the
    `block_x` loop is executed by one cluster.
  }];
  let parameters = (ins StringRefParameter<>:$loop, EnumParameter<Tile_Processor>:$processor);
  let assemblyFormat = "`<` $loop `to` custom<Word>($processor, \"\\\"processor\\\"\") `>`";
}

def Tile_RFactorAttr : Tile_Attr<"RFactor", "rfactor"> {
  let summary = "materialize the partial results of a reduced loop";
  let description = [{
    `#tile.rfactor<"d1.i">` computes a separate partial result for each iteration of the loop
    `d1.i`. A second reduction combines the partial results of all iterations of the loop that
    `#tile.rfactor` names. If a loop that `#tile.rfactor` names is bound to threads of one CTA, the
    partial results stay in registers, as without `#tile.rfactor`. `#tile.rfactor` of a loop that is
    bound neither to threads nor to blocks of a cluster stores the partial results in an array in
    global memory. The first index of the array of partial results is the iteration number of the
    loop that `#tile.rfactor` names.
  }];
  let parameters = (ins StringRefParameter<>:$loop);
  let assemblyFormat = "`<` $loop `>`";
}

def Tile_FuseAttr : Tile_Attr<"Fuse", "fuse"> {
  let summary = "fuse several loops into one";
  let description = [{
    `#tile.fuse<["d0", "d1"] to "p">` fuses `d0` and `d1` into the loop `p`, in which `d1` varies
    fastest. All fused loops must iterate over reduced dimensions, or all must iterate over parallel
    dimensions.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$loops, StringRefParameter<>:$to);
  let assemblyFormat = "`<` `[` $loops `]` `to` $to `>`";
}

def Tile_ReorderAttr : Tile_Attr<"Reorder", "reorder"> {
  let summary = "nest loops in the given order, outermost first";
  let description = [{
    `#tile.reorder<"d1.o", "d0.i">` permutes the named loops. Loops that `#tile.reorder` does not
    name keep their positions.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$loops);
  let assemblyFormat = "`<` $loops `>`";
}

def Tile_UnrollAttr : Tile_Attr<"Unroll", "unroll"> {
  let summary = "unroll a loop completely";
  let description = [{
    `#tile.unroll<"d1.i">` unrolls the loop `d1.i`. The trip count of an unrolled loop must be
    static and at most 64.
  }];
  let parameters = (ins StringRefParameter<>:$loop);
  let assemblyFormat = "`<` $loop `>`";
}

def Tile_VectorizeAttr : Tile_Attr<"Vectorize", "vectorize"> {
  let summary = "load the elements of a loop as vectors";
  let description = [{
    `#tile.vectorize<"d1.i">` unrolls the loop `d1.i`, and gives each iteration a separate
    accumulator. If the iterations of a vectorized loop read consecutive elements, the kernel reads
    these elements by a vector load.
  }];
  let parameters = (ins StringRefParameter<>:$loop);
  let assemblyFormat = "`<` $loop `>`";
}

def Tile_StreamAttr : Tile_BareAttr<"Stream", "stream"> {
  let summary = "evict-first loads of elements that a kernel reads once";
  let description = [{
    `#tile.stream` makes loads `nontemporal` if the kernel reads each loaded element once; caches
    then evict the loaded lines first. Use `#tile.stream` only if the threads of a warp read whole
    cache lines; if the threads read parts of lines, the caches may evict a line before the rest of
    the line is read.
  }];
}

def Tile_EvictLastAttr : Tile_BareAttr<"EvictLast", "evict_last"> {
  let summary = "loads with the L2 eviction policy evict_last";
  let description = [{
    `#tile.evict_last` gives the global loads of a kernel the L2 eviction policy `evict_last`: the
    L2 cache evicts the loaded lines after other lines. Use `#tile.evict_last` if a kernel stores
    as many bytes as it loads. For kernels that only load, the policy `evict_last` has no effect on
    the speed. `#tile.evict_last` does not change the evict-first loads (`#tile.stream`) of the
    kernel.
  }];
}

def Tile_PrefetchAttr : Tile_BareAttr<"Prefetch", "prefetch"> {
  let summary = "load all held inputs at the start of a row";
  let description = [{
    With `#tile.prefetch`, the kernel of a `tile.group` loads the inputs that are held in registers
    (`#tile.hold`) before the first op of the group. Without `#tile.prefetch`, the kernel loads each
    held input before the first op that uses the input. With `#tile.prefetch`, the loads of an input
    that only a late op uses, such as the weights of a layer norm, are in flight together with the
    loads of the row. `#tile.prefetch` does not move the loads of an array that an op of the group
    also writes.
  }];
}

def Tile_ResidentAttr : Tile_Attr<"Resident", "resident"> {
  let summary = "minimum number of resident threads per SM";
  let description = [{
    With `#tile.resident<1024>`, ptxas may use as many registers per thread as 1024 resident threads
    per SM permit (`.minnctapersm` in PTX). Without `#tile.resident`, ptxas targets full occupancy
    and may delay loads until registers are free. Use `#tile.resident` if each thread keeps many
    loads in flight, so that few resident threads suffice to hide the memory latency.
  }];
  let parameters = (ins "int64_t":$threads);
  let assemblyFormat = "`<` $threads `>`";
}

def Tile_HoldAttr : Tile_Attr<"Hold", "hold"> {
  let summary = "memory in which a value of a kernel stays between phases";
  let description = [{
    `#tile.hold<"tmp0" in registers>` keeps the array `tmp0` in registers while a kernel executes
    the ops of a group (`tile.group`) as consecutive phases. The first parameter of `#tile.hold`
    names an array that the ops of a `tile.group` use. Array names are numbered in the order of
    first use. The ops of a `tile.group` read the initial contents of the arrays `in0`, `in1`, ….
    Each of the arrays `tmp0`, `tmp1`, … is written by one op of a `tile.group`, and read by a later
    op of the same group. The ops of a `tile.group` write the arrays `out0`, `out1`, … and do not
    read them.

    With the keyword `registers` of `#tile.hold`, each element that a thread loads or computes stays
    an SSA value in all later phases of the kernel. With the keyword `registers` of `#tile.hold`,
    all loops of a thread must be unrolled, so that each register holds the same element of a row in
    every phase. If all arrays that `#tile.hold` keeps in registers have one element per row, the
    outermost loops over a row need not be unrolled. If a temporary array is held in registers, and
    only ops of the group use this array, the kernel of the group does not store this array to
    memory.

    With the keyword `reload` of `#tile.hold`, which is the default, each phase of the kernel loads
    the elements of the array from global memory.

    In the schedule of a group, `#tile.hold` accepts only `registers` and `reload`; in the schedule
    of an op without a group, `#tile.hold` accepts only `shared`. The keyword `cluster` of
    `#tile.hold` is reserved: every schedule with this keyword is rejected (`TX0327`). To hold a row
    in the registers of several blocks, bind a loop to `cluster_x`, and write `#tile.hold` with the
    keyword `registers`.

    The step `#tile.hold<"in0" in shared>` stages the first source of an element-wise op in shared
    memory; the op must not be in a group. With the keyword `shared` of `#tile.hold`, each block
    first copies into shared memory all elements of the source that its threads read; the copy reads
    the source row by row. After a barrier, the threads of the block read the copied elements of the
    source from shared memory. Use the keyword `shared` of `#tile.hold` for a transposed source, so
    that both the loads and the stores are coalesced. With the keyword `shared`, each dimension of
    the source must be indexed by the constant 0, or by a loop that indexes no other dimension of
    the source. With the keyword `shared`, the loops that run within a block must have static trip
    counts. In a named op such as `linalg.transpose`, `d0`, `d1`, … are the dimensions of the
    result.

    ```mlir
    linalg.transpose ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>) permutation = [1, 0] {schedule = [
      #tile.split<"d0" by 32>, #tile.split<"d1" by 32>, #tile.reorder<"d0.o", "d1.o", "d0.i", "d1.i">,
      #tile.fuse<["d0.o", "d1.o"] to "b">, #tile.bind<"b" to block_x>,
      #tile.split<"d0.i" by 8>, #tile.bind<"d0.i.i" to thread_y>, #tile.bind<"d1.i" to thread_x>,
      #tile.hold<"in0" in shared>]}
    ```
  }];
  let parameters = (ins StringRefParameter<>:$value, EnumParameter<Tile_Residency>:$residency);
  let assemblyFormat = "`<` $value `in` custom<Word>($residency, \"\\\"residency\\\"\") `>`";
}

def Tile_LastBlockAttr : Tile_BareAttr<"LastBlock", "last_block"> {
  let summary = "combine partial results in the same launch";
  let description = [{
    `#tile.last_block` combines the partial results of `#tile.rfactor` in global memory without a
    second kernel; CUDA calls this a threadfence reduction. The block that is the last to store a
    partial result of an output element combines all partial results of this element. The order in
    which `#tile.last_block` combines partial results does not depend on which block is last. A
    temporary array with the attribute `tile.cleared` contains a counter of the blocks that have
    stored their partial results. This counter of stored partial results is zero before and after
    each launch.
  }];
}

def Tile_CaseAttr : Tile_Attr<"Case", "case"> {
  let summary = "a schedule for lengths up to a bound";
  let description = [{
    In the schedule `[#tile.case<"d1" to 64, [...]>, #tile.case<"d1" to 4096, [...]>,
    #tile.otherwise<[...]>]`, the first entry is for rows of up to 64 elements, the second for rows
    of up to 4096, and the third for longer rows. Each `#tile.case` becomes a separate kernel. At
    run time, the host launches the kernel of the first case that covers the length of the
    dimension. The `#tile.case` entries of a schedule may limit the lengths of several dimensions;
    the entries for one dimension are in ascending order of their maximum lengths.

    The case `#tile.case<"d1" to 64 multiple_of 4, [...]>` covers only lengths that are multiples of
    4. Its kernel can use vectors of 4 elements without a bounds check for each element. The case
    is not for more clusters than one grid has, so that a kernel with clusters needs no loop over
    clusters. Later entries of the schedule cover other launches.

    In the schedule of a group (`tile.group`), `#tile.case` names a loop over a row, such as `r0`,
    instead of a dimension. For row lengths that no `#tile.case` accepts, each op of the group is
    launched as a separate kernel, unless the schedule contains a `#tile.otherwise`.
  }];
  let parameters = (ins StringRefParameter<>:$loop, "int64_t":$most,
                        DefaultValuedParameter<"int64_t", "1">:$multiple,
                        "::mlir::ArrayAttr":$schedule);
  let assemblyFormat = "`<` $loop `to` $most (`multiple_of` $multiple^)? `,` $schedule `>`";
}

def Tile_OtherwiseAttr : Tile_Attr<"Otherwise", "otherwise"> {
  let summary = "the schedule for lengths beyond the bounds of all cases";
  let description = [{
    `#tile.otherwise<[...]>` is the last entry of a list of `#tile.case` attributes.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$schedule);
  let assemblyFormat = "`<` $schedule `>`";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tile_Fragment : TypeDef<Tile_Dialect, "Fragment"> {
  let mnemonic = "fragment";
  let summary = "a tile in registers";
  let description = [{
    A statically shaped tile in the registers of the threads of a scope. The layout of a fragment
    assigns each element to threads and registers.
    Example: `!tile.fragment<16x128xf32, #tile.layout<...>>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element,
                        "LayoutAttr":$layout);
  let assemblyFormat = "`<` custom<ShapeAndElement>($shape, $element) `,` qualified($layout) `>`";
  let genVerifyDecl = 1;
}

// The verifier restricts elements to integers (`iN`) and floats, and reports violations with a code.
def Tile_Element : Type<CPred<"true">, "an element">;
def Tile_Memory : MemRefOf<[AnyType]>;
def Tile_Tile : AnyTypeOf<[Tile_Memory, Tile_Fragment]>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits> {
  // Rust checks every rule that ODS cannot express.
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::tx::tile::verifyInRust(getOperation()); }
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reduce a tile along some of its axes";
  let description = [{
    Combines the elements of the source along `axes`; axis -1 is the last dimension. The shape of
    the destination is the shape of the source, except that the reduced dimensions are removed or
    have extent 1. With `accumulate`, `tile.reduce` combines the result with the previous value of
    the destination or of `init`. Without `accumulate`, `tile.reduce` does not read the previous
    value of the destination. The result of a reduction without elements is the identity.

    ```mlir
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    tile.reduce argmax %A into %V, %I axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
    %r = tile.reduce max %x axes [1] scope(warp) : !tile.fragment<...> -> !tile.fragment<...>
    ```

    A partial result of the kind `custom` consists of N values: the op has N identities and a
    combiner region. For partial results of N values, the combiner region has 2N arguments: the N
    values of the left and the N values of the right partial result. The combiner region yields the
    N values of the combined partial result. The values to combine are the elements of N sources, or
    the N values that an `element` region (see below) yields.

    ```mlir
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : memref<4x8xf32> into memref<4xf32>
    ```

    In the grammar, parts in `[...]` are optional, and the order of the parts is fixed:

    ```text
    tile.reduce KIND SOURCES [into DESTINATIONS] [init(FRAGMENTS)] [with OPERANDS]
        axes [AXES] scope(SCOPE) [accumulate]
        [ATTRIBUTES] [identity [VALUES] combiner REGION] [element REGION] [epilogue REGION] [ATTRIBUTES]
        : TYPES [into TYPES] [init TYPES] [with TYPES] [-> TYPES]
    ```

    The `ATTRIBUTES`, such as `{variant = "shared"}`, are written in one of the two positions.

    The combiner of `custom` must be associative and commutative, and its identities must be
    neutral. The compiler combines elements in any order, and may combine any number of identities
    with the elements. If combining the identity with a NaN, an infinity or -0.0 changes this value,
    the result of the reduction may depend on the identity. For example, the identity -inf changes
    NaN under `maxnumf`, and +0.0 changes -0.0 under `addf`. The sign of a zero result may depend on
    the order of combination.

    The attribute `acc` sets the type of partial results. By default, partial results have the type
    f32 for f16, bf16 and 8-bit floats, and the element type for all wider floats and for integers.
    The attribute `exec`, which a pass adds, lists the threads that execute the op. The attribute
    `params` lists the parameters of the chosen variant (the implementation of the op).

    An op of scope `grid` may have the attributes `maps` and `schedule`, and the regions `element`
    and `epilogue`.

    The attribute `maps` lists indexing maps as in `linalg.generic`: one map from the iteration
    space to each source, destination and `with` operand, in this order. If `maps` is present,
    `axes` lists dimensions of the iteration space. The size of an iteration dimension `d` is the
    size of each operand dimension whose index in a map is `d` alone.

    The region `element` computes the values that the op combines, from one element of each source
    and the index along each dimension of the iteration space. For `argmax` and `argmin`, the region
    `element` may yield a value and its index. For `custom`, the region `element` may yield more
    values than there are sources; each value has an identity and a pair of combiner arguments. The
    region `element` may contain a `memref.load` at a computed index, if the op does not write the
    loaded memory.

    The region `epilogue` computes the values that the op stores. The arguments of `epilogue` are,
    in this order: the results, one element of each `with` operand, and the index along each
    parallel dimension. The result arguments of `epilogue` have the type of partial results; with
    `accumulate`, they already include the previous values of the destination. The region `epilogue`
    yields one value for each destination.

    The attribute `schedule` lists the steps that split and bind the loops of the iteration space.

    ```mlir
    tile.reduce sum %A, %K into %B with %bias axes [2, 3] scope(grid)
        {maps = [affine_map<(i, j, di, dj) -> (i + di, j + dj)>, affine_map<(i, j, di, dj) -> (di, dj)>,
                 affine_map<(i, j, di, dj) -> (i, j)>, affine_map<(i, j, di, dj) -> (j)>]}
        element {
        ^bb0(%a: f32, %k: f32, %i: index, %j: index, %di: index, %dj: index):
          %p = arith.mulf %a, %k : f32
          tile.yield %p : f32
        } epilogue {
        ^bb0(%r: f32, %b: f32, %i: index, %j: index):
          %s = arith.addf %r, %b : f32
          tile.yield %s : f32
        } : memref<?x?xf32>, memref<3x3xf32> into memref<?x?xf32> with memref<?xf32>
    ```

    The next example computes mean and variance by Welford's algorithm, from one source. The partial
    result of Welford's algorithm consists of a mean, a sum of squared differences from the mean,
    and a count (`lit-tests/programs/variance-welford.mlir`).

    ```mlir
    tile.reduce custom %A into %mean, %variance axes [1] scope(grid)
        identity [0.0 : f32, 0.0 : f32, 0.0 : f32] combiner {
        ^bb0(%ma: f32, %sa: f32, %na: f32, %mb: f32, %sb: f32, %nb: f32):
          ...
          tile.yield %m, %s, %n : f32, f32, f32
        } element {
        ^bb0(%x: f32, %i: index, %j: index):
          %zero = arith.constant 0.0 : f32
          %one = arith.constant 1.0 : f32
          tile.yield %x, %zero, %one : f32, f32, f32
        } epilogue {
        ^bb0(%m: f32, %s: f32, %n: f32, %i: index):
          %v = arith.divf %s, %n : f32
          tile.yield %m, %v : f32, f32
        } : memref<?x?xf32> into memref<?xf32>, memref<?xf32>
    ```
  }];
  let arguments = (ins
    Tile_KindAttr:$kind, Variadic<Tile_Tile>:$sources, Variadic<Tile_Memory>:$destinations,
    Variadic<Tile_Fragment>:$inits, Variadic<Tile_Memory>:$extras, DenseI64ArrayAttr:$axes,
    Tile_ScopeAttr:$scope,
    UnitAttr:$accumulate, OptionalAttr<ArrayAttr>:$identities, OptionalAttr<TypeAttr>:$acc,
    OptionalAttr<Tile_NanAttr>:$nan, OptionalAttr<Tile_DeterminismAttr>:$determinism,
    OptionalAttr<StrAttr>:$variant, OptionalAttr<ArrayAttr>:$maps,
    OptionalAttr<ArrayAttr>:$schedule,
    OptionalAttr<DictionaryAttr>:$exec, OptionalAttr<DictionaryAttr>:$params);
  let regions = (region AnyRegion:$combiner, AnyRegion:$element, AnyRegion:$epilogue);
  let results = (outs Variadic<Tile_Fragment>:$results);
  let assemblyFormat = [{
    custom<Keyword>($kind) $sources (`into` $destinations^)? (`init` `` `(` $inits^ `)`)?
    (`with` $extras^)?
    `axes` $axes `scope` `` `(` custom<Keyword>($scope) `)` (`accumulate` $accumulate^)?
    `` custom<AttrsAndRegions>(attr-dict, $identities, $combiner, $element, $epilogue)
    `:` type($sources) (`into` type($destinations)^)? (`init` type($inits)^)?
    (`with` type($extras)^)? (`->` type($results)^)?
  }];
}

def Tile_AllReduceOp : Tile_Op<"all_reduce", []> {
  let summary = "reduce one value per thread; every thread gets the result of its group";
  let description = [{
    Combines values within groups of `width` threads; consecutive threads of a group are `stride`
    apart. Threads of one group have equal `t % stride` and equal `t / (stride * width)`, where `t`
    is the number of the thread in the scope. Without `width`, all threads of the scope are one
    group. The product of `width` and `stride` is at most the maximum number of threads of the
    scope: 32 for a warp, 128 for a warpgroup, 1024 for a CTA, 16384 for a cluster. If `width` times
    `stride` does not divide the number of threads of the scope, the last groups have fewer threads.
    At scope `cluster`, either a group consists of whole blocks, or each block consists of whole
    groups of equal size. A kernel with a `tile.all_reduce` at scope `cluster` must have the
    attribute `known_cluster_size`.

    ```mlir
    %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
    %m, %j = tile.all_reduce argmax %v, %i scope(cta) : f32, i32 -> f32, i32
    %y = tile.all_reduce sum %v scope(cta) width 8 stride 100 : f32 -> f32
    ```

    `variant` selects how the lanes of a warp exchange values: `shuffle` or `redux`. By default, the
    compiler selects the cheapest variant that the chip supports. The variant `redux` supports
    groups of whole warps, and groups that divide a warp into equal parts.
  }];
  let arguments = (ins
    Tile_KindAttr:$kind, Variadic<Tile_Element>:$values, Tile_ScopeAttr:$scope,
    OptionalAttr<I64Attr>:$width, OptionalAttr<I64Attr>:$stride,
    OptionalAttr<ArrayAttr>:$identities, OptionalAttr<TypeAttr>:$acc,
    OptionalAttr<Tile_NanAttr>:$nan, OptionalAttr<Tile_DeterminismAttr>:$determinism,
    OptionalAttr<StrAttr>:$variant, OptionalAttr<DictionaryAttr>:$exec);
  let regions = (region AnyRegion:$combiner);
  let results = (outs Variadic<Tile_Element>:$results);
  let assemblyFormat = [{
    custom<Keyword>($kind) $values `scope` `` `(` custom<Keyword>($scope) `)`
    (`width` $width^)? (`stride` $stride^)?
    `` custom<AttrsAndRegions>(attr-dict, $identities, $combiner)
    `:` type($values) `->` type($results)
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["ReduceOp", "AllReduceOp"]>]> {
  let summary = "terminator of the regions of tile ops";
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tile_CopyOp : Tile_Op<"copy", []> {
  let summary = "copy a tile of memory";
  let description = [{
    Copies a tile from one memref to another of equal shape and element type.
  }];
  let arguments = (ins Arg<Tile_Memory, "", [MemRead]>:$source,
    Arg<Tile_Memory, "", [MemWrite]>:$destination, Tile_ScopeAttr:$scope,
    OptionalAttr<DictionaryAttr>:$exec);
  let assemblyFormat = [{
    $source `to` $destination `scope` `` `(` custom<Keyword>($scope) `)` attr-dict
    `:` type($source) `to` type($destination)
  }];
}

def Tile_LoadOp : Tile_Op<"load", []> {
  let summary = "load a tile into registers";
  let description = [{
    Loads a tile from memory into a fragment. If the layout assigns copies of an element to several
    threads, each of these threads loads the element.
  }];
  let arguments = (ins Arg<Tile_Memory, "", [MemRead]>:$source, Tile_ScopeAttr:$scope,
    OptionalAttr<DictionaryAttr>:$exec);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = [{
    $source `scope` `` `(` custom<Keyword>($scope) `)` attr-dict
    `:` type($source) `->` qualified(type($result))
  }];
}

def Tile_StoreOp : Tile_Op<"store", []> {
  let summary = "store a tile from registers";
  let description = [{
    Stores a fragment to memory. If the layout assigns copies of an element to several threads, only
    one of these threads stores the element.
  }];
  let arguments = (ins Tile_Fragment:$source, Arg<Tile_Memory, "", [MemWrite]>:$destination,
    Tile_ScopeAttr:$scope, OptionalAttr<DictionaryAttr>:$exec);
  let assemblyFormat = [{
    $source `to` $destination `scope` `` `(` custom<Keyword>($scope) `)` attr-dict
    `:` qualified(type($source)) `to` type($destination)
  }];
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "create a fragment whose elements all have one value";
  let arguments = (ins Tile_Element:$value);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` qualified(type($result))";
}

def Tile_AnnotateOp : Tile_Op<"annotate", []> {
  let summary = "attributes of the enclosing linalg op";
  let description = [{
    Stores attributes of a linalg op, such as `acc`, in the body of the op. MLIR passes that replace
    a linalg op drop its unknown attributes, but copy its body. `linalg-sink-attributes` creates
    `tile.annotate` ops, and `linalg-hoist-attributes` removes them. If `tile.annotate` has an
    attribute `schedule`, the attributes `iterator_types` and `output_maps` of `tile.annotate`
    describe the linalg op for which this schedule was written.

    ```mlir
    tile.annotate {acc = f64, nan = #tile.nan<ignore>}
    ```
  }];
  let arguments = (ins OptionalAttr<TypeAttr>:$acc, OptionalAttr<Tile_NanAttr>:$nan,
    OptionalAttr<Tile_DeterminismAttr>:$determinism, OptionalAttr<ArrayAttr>:$schedule,
    OptionalAttr<ArrayAttr>:$iterator_types, OptionalAttr<ArrayAttr>:$output_maps);
  let assemblyFormat = "attr-dict";
}

#endif // TILE_TD
