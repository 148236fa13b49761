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
    A tile is a rectangular piece of memory (a `memref`, strided, offset and dynamic as memrefs
    are) or of registers (`!tile.fragment`, an SSA value spread over threads by a
    `#tile.layout`). An op on tiles is executed by the threads of its scope together, and ops
    behave as if they ran in program order: the programmer writes no barriers.
  }];
  let cppNamespace = "::tx::tile";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // Attributes named `tile.…` of any op, of its arguments and of its results.
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
  // The values in Rust, in the order of the words, and what each means.
  list<string> variants;
  list<string> docs;
}

class Tile_EnumAttr<Tile_Enum of, string docs> : EnumAttr<Tile_Dialect, of, of.attrMnemonic> {
  // What MLIR says is expected of an attribute that is another.
  let summary = of.summary # ": `#tile." # of.attrMnemonic # "<WORD>`, where WORD is one of " # of.words;
  let description = docs;
  let assemblyFormat = "`<` custom<Word>($value, \"\\\"" # of.attrMnemonic # "\\\"\") `>`";
}

def Tile_Kind : Tile_Enum<"Kind", "kind", "what a reduction computes",
    ["sum", "prod", "max", "min", "umax", "umin", "and", "or", "xor", "argmax", "argmin", "custom"]> {
  let variants = ["Sum", "Prod", "Max", "Min", "UMax", "UMin", "And", "Or", "Xor", "ArgMax",
    "ArgMin", "Custom"];
  let docs = ["Sum.", "Product.", "Largest (signed).", "Smallest (signed).", "Largest of unsigned integers.",
    "Smallest of unsigned integers.", "Bitwise and.", "Bitwise or.", "Bitwise exclusive or.",
    "Largest and its index.",
    "Smallest and its index.", "A combiner region."];
}
def Tile_KindAttr : Tile_EnumAttr<Tile_Kind, [{
  What a reduction computes. Integers are signless; `max` and `min` are signed. `custom` has a
  combiner region.
}]>;

def Tile_Scope : Tile_Enum<"Scope", "scope", "the threads that execute an op together",
    ["thread", "warp", "warpgroup", "cta", "cluster", "grid"]> {
  let variants = ["Thread", "Warp", "Warpgroup", "Cta", "Cluster", "Grid"];
  let docs = ["One thread.", "32 lanes.", "Four consecutive warps.", "The thread block.",
    "The cluster.", "The whole job."];
}
def Tile_ScopeAttr : Tile_EnumAttr<Tile_Scope, [{
  The threads that execute an op together: one thread; a warp of 32 lanes; four consecutive warps
  of which the first is a multiple of 4; the CTA; the cluster; the whole job.
}]>;

def Tile_Nan : Tile_Enum<"Nan", "nan", "what NaN does in max, min, argmax and argmin",
    ["propagate", "ignore"]> {
  let variants = ["Propagate", "Ignore"];
  let docs = ["NaN wins.", "NaN never wins unless all are NaN."];
}
def Tile_NanAttr : Tile_EnumAttr<Tile_Nan, [{
  `propagate`: NaN wins. `ignore`: NaN never wins unless all elements are NaN.
}]>;

def Tile_Determinism : Tile_Enum<"Determinism", "determinism", "which results must have equal bits",
    ["any", "run_to_run", "batch_invariant"]> {
  let variants = ["Any", "RunToRun", "BatchInvariant"];
  let docs = ["Float atomics are permitted.", "The same program, shape and chip give the same bits.",
    "The bits of a row do not depend on the number of rows either."];
}
def Tile_DeterminismAttr : Tile_EnumAttr<Tile_Determinism, [{
  `any` permits float atomics; `run_to_run`: same program, shape and chip give the same bits;
  `batch_invariant`: a row's bits also do not depend on how many rows there are.
}]>;

def Tile_Fusion : Tile_Enum<"Fusion", "fusion", "which ops of a function may share a kernel",
    ["none", "exact", "algebraic"]> {
  let variants = ["None", "Exact", "Algebraic"];
  let docs = ["Each op is a kernel of its own.",
    "Ops may share a kernel; each element's own operations stay as written.",
    "Two dependent reductions may also become one pass."];
}
def Tile_FusionAttr : Tile_EnumAttr<Tile_Fusion, [{
  `none`: each op of the function is a kernel of its own. `exact`: ops may share a kernel, and every
  element's own operations stay as written. `algebraic`: two dependent reductions may also be
  rewritten as one pass where a checked property of their combiners allows it.
}]>;

def Tile_Math : Tile_Enum<"Math", "math", "how elementary functions and quotients of a function are computed",
    ["exact", "approx"]> {
  let variants = ["Exact", "Approx"];
  let docs = ["Within one unit in the last place for most functions; quotients are rounded correctly.",
    "By the approximate instructions of the chip."];
}
def Tile_MathAttr : Tile_EnumAttr<Tile_Math, [{
  `exact`: quotients are rounded correctly, and functions have the errors that `gpu-expand-math` lists.
  `approx`: `exp`, `exp2`, `log`, `log2`, `log10` and quotients of f32 and narrower types use the
  approximate instructions of the chip, with the errors that `gpu-expand-math` lists.
}]>;

def Tile_Residency : Tile_Enum<"Residency", "residency", "where a value of a kernel stays between its phases",
    ["registers", "shared", "cluster", "reload"]> {
  let variants = ["Registers", "Shared", "Cluster", "Reload"];
  let docs = ["In the registers of the threads that loaded or computed it.",
    "In the shared memory of a block.", "In the shared memory of the blocks of a cluster.",
    "In global memory, from where it is loaded again."];
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

// Of no parameters: what is in `<>` would be dropped without a word.
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
    `<extent : stride axis>`: `extent` coordinates, each `stride` further along `axis`. In an
    offset list the first number is the constant itself, and the second is 1.
  }];
  let parameters = (ins "int64_t":$extent, "int64_t":$stride, EnumParameter<Tile_Axis>:$axis);
  let assemblyFormat = "`<` $extent `:` $stride custom<Word>($axis, \"\\\"axis\\\"\") `>`";
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout"> {
  let summary = "where the elements of a fragment live";
  let description = [{
    The logical index is flattened row-major and split over the shard extents, innermost last;
    each coordinate times its stride is added to that entry's axis. Then every combination of
    replica coordinates adds its own strides, and the offsets are added. An element can so live
    in several places, never nowhere.

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
  let summary = "cut a loop in two";
  let description = "`\"d0\" by 32` makes `d0.o` and `d0.i`, of which `d0.i` has 32 iterations.";
  let parameters = (ins StringRefParameter<>:$loop, "int64_t":$factor);
  let assemblyFormat = "`<` $loop `by` $factor `>`";
}

def Tile_AlignAttr : Tile_Attr<"Align", "align"> {
  let summary = "cut a reduced loop into vectors that begin at aligned addresses";
  let description = [{
    `#tile.align<"d1" to 4>` makes `d1.o` and `d1.i` as a split by 4 does, but the elements of
    `d1.i` begin at a multiple of four elements from the beginning of the first source that has them
    as neighbours, wherever a row begins. The elements before the first such vector and after the
    last, at most three each, are taken one by one by the threads that share `d1.o`. The number must
    be a power of two.
  }];
  let parameters = (ins StringRefParameter<>:$loop, "int64_t":$factor);
  let assemblyFormat = "`<` $loop `to` $factor `>`";
}

def Tile_BindAttr : Tile_Attr<"Bind", "bind"> {
  let summary = "run the iterations of a loop on blocks or threads";
  let description = [{
    `#tile.bind<"d0.o" to block_x>`; processors are `block_x|y|z`, `cluster_x|y|z` and
    `thread_x|y|z`, a loop each. Threads that run a reduced loop combine their partial results, and
    the first of them stores. What is bound to `cluster_x` runs on the blocks of a cluster (sm_90),
    which combine through their shared memory; iterations of what is bound to `block_x` beside it
    are then clusters.
  }];
  let parameters = (ins StringRefParameter<>:$loop, EnumParameter<Tile_Processor>:$processor);
  let assemblyFormat = "`<` $loop `to` custom<Word>($processor, \"\\\"processor\\\"\") `>`";
}

def Tile_RFactorAttr : Tile_Attr<"RFactor", "rfactor"> {
  let summary = "materialise the partial results of a reduction loop";
  let description = [{
    `#tile.rfactor<"d1.i">`. Each iteration of the loop gets a result of its own, and a second
    reduction combines these. The partial results are in registers where the loop is bound to the
    threads of one CTA (as they are without the step), else in global memory, with the loop as their
    first dimension.
  }];
  let parameters = (ins StringRefParameter<>:$loop);
  let assemblyFormat = "`<` $loop `>`";
}

def Tile_FuseAttr : Tile_Attr<"Fuse", "fuse"> {
  let summary = "make one loop of several";
  let description = [{
    `["d0", "d1"] to "p"` makes `p`, in which `d1` runs fastest. All are reduced dimensions, or none
    is.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$loops, StringRefParameter<>:$to);
  let assemblyFormat = "`<` `[` $loops `]` `to` $to `>`";
}

def Tile_ReorderAttr : Tile_Attr<"Reorder", "reorder"> {
  let summary = "nest loops in this order, outermost first";
  let description = "`#tile.reorder<\"d1.o\", \"d0.i\">`. Loops that are not named keep their places.";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$loops);
  let assemblyFormat = "`<` $loops `>`";
}

def Tile_UnrollAttr : Tile_Attr<"Unroll", "unroll"> {
  let summary = "write out the iterations of a loop";
  let description = "`#tile.unroll<\"d1.i\">`; the number of iterations must be known, and at most 64.";
  let parameters = (ins StringRefParameter<>:$loop);
  let assemblyFormat = "`<` $loop `>`";
}

def Tile_VectorizeAttr : Tile_Attr<"Vectorize", "vectorize"> {
  let summary = "load the elements of a loop's iterations at once";
  let description = [{
    The loop is written out, each iteration with partial results of its own, and what the iterations
    read from neighbouring addresses is one vector load.
  }];
  let parameters = (ins StringRefParameter<>:$loop);
  let assemblyFormat = "`<` $loop `>`";
}

def Tile_StreamAttr : Tile_BareAttr<"Stream", "stream"> {
  let summary = "do not keep in caches what is read once";
  let description = [{
    `#tile.stream`. Loads of elements that a kernel reads once are marked `nontemporal`: caches
    evict them first. Worth it where the threads of a warp read whole cache lines at once; what is
    left of a line otherwise is read again.
  }];
}

def Tile_ResidentAttr : Tile_Attr<"Resident", "resident"> {
  let summary = "how many threads of a multiprocessor registers must do for";
  let description = [{
    NVIDIA's assembler puts loads off until there is a register for what they bring, and takes as
    few registers as let a multiprocessor have all the threads that fit. `1024` says that so many
    are enough: `.minnctapersm` in PTX, as blocks. Worth it where an element takes long, so that few
    threads hide what loads take if each has all of its own under way.
  }];
  let parameters = (ins "int64_t":$threads);
  let assemblyFormat = "`<` $threads `>`";
}

def Tile_HoldAttr : Tile_Attr<"Hold", "hold"> {
  let summary = "where a value stays in a kernel";
  let description = [{
    `#tile.hold<"tmp0" in registers>`, in the schedule of a group (`tile.group`). The arrays that the
    ops of the group use have names, counted in the order in which they are used first: `in0`, `in1`,
    … are read before an op of the group writes them; `tmp0`, … are written by one op and read by a
    later one; `out0`, … are only written.

    `registers`: a thread has the elements that it loaded or computed as values in every later phase.
    Every loop of a thread is unrolled then, so that it has the same elements of a row in each phase;
    where only arrays with one element a row are held, the outermost loops over a row need not be.
    A temporary that nothing else of the function uses is not stored. `reload`, as without the
    attribute: each phase loads the value.

    `#tile.hold<"in0" in shared>`, in the schedule of an element-wise op in no group: each block loads
    what its threads read of the source (`in0` is the first) into shared memory, along the source's
    own rows, and the threads take their elements from there. It is for sources that are transposed:
    loads and stores both go along neighbours. Each dimension of the source is indexed by a loop of its
    own, or by 0, and the loops of a block are of constant length. `d0`, `d1`, … of a named op such as
    `linalg.transpose` are the dimensions of its result:

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
    `#tile.last_block`. Partial results that blocks leave in global memory (`#tile.rfactor`) are
    combined by that block of each result which is last to leave its own, rather than by a second
    kernel: in the same order always, whichever that is. Blocks count themselves in a temporary
    (`tile.cleared`), which is zero before and after each launch.
  }];
}

def Tile_CaseAttr : Tile_Attr<"Case", "case"> {
  let summary = "a schedule for lengths up to a number";
  let description = [{
    `schedule = [#tile.case<"d1" to 64, [...]>, #tile.case<"d1" to 4096, [...]>,
    #tile.otherwise<[...]>]` is a schedule for rows of up to 64 elements, one for those of up to
    4096, and one for longer ones. Each is a kernel, and the length that the caller brings says
    which of them runs: the first that holds. Cases may be about several dimensions; those about one
    come shortest first. In the schedule of a group they are about a loop of a row, `r0`, and where
    they do not end with `#tile.otherwise`, each op is a kernel of its own for longer rows.
  }];
  let parameters = (ins StringRefParameter<>:$loop, "int64_t":$most, "::mlir::ArrayAttr":$schedule);
  let assemblyFormat = "`<` $loop `to` $most `,` $schedule `>`";
}

def Tile_OtherwiseAttr : Tile_Attr<"Otherwise", "otherwise"> {
  let summary = "the schedule for lengths that no case takes";
  let description = "`#tile.otherwise<[...]>`, the last of a list of cases.";
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
    A statically shaped tile whose elements live in the registers of the threads of a scope, where
    the layout says: `!tile.fragment<16x128xf32, #tile.layout<...>>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element,
                        "LayoutAttr":$layout);
  let assemblyFormat = "`<` custom<ShapeAndElement>($shape, $element) `,` qualified($layout) `>`";
  let genVerifyDecl = 1;
}

// Elements are integers (`iN`) or floating-point numbers: the verifier says so with a code.
def Tile_Element : Type<CPred<"true">, "an element">;
def Tile_Memory : MemRefOf<[AnyType]>;
def Tile_Tile : AnyTypeOf<[Tile_Memory, Tile_Fragment]>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Tile_Op<string opMnemonic, list<Trait> traits = []> : Op<Tile_Dialect, opMnemonic, traits> {
  // Every rule that ODS cannot say is checked in Rust.
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::tx::tile::verifyInRust(getOperation()); }
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reduce a tile over some of its axes";
  let description = [{
    Combines the elements of the source along `axes`; -1 is the last dimension. The destination has
    the source's shape with the reduced dimensions removed, or kept as 1. With `accumulate` the
    result is combined with the destination's (or `init`'s) old value; without it the old value is
    not read. An empty reduction gives the identity.

    ```mlir
    tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xf32> into memref<4xf32>
    tile.reduce argmax %A into %V, %I axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
    %r = tile.reduce max %x axes [1] scope(warp) : !tile.fragment<...> -> !tile.fragment<...>
    ```

    `custom` brings its own combiner: an identity for each of N values, and a region of 2N
    arguments, N of the left and N of the right, that yields N values. The values are the elements
    of N sources, or what an `element` region (see below) yields.

    ```mlir
    tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %p = arith.mulf %l, %r : f32
      tile.yield %p : f32
    } : memref<4x8xf32> into memref<4xf32>
    ```

    The whole of the grammar, where `[...]` may be left out, and each part stands where it stands
    here:

    ```text
    tile.reduce KIND SOURCES [into DESTINATIONS] [init(FRAGMENTS)] [with OPERANDS]
        axes [AXES] scope(SCOPE) [accumulate]
        [ATTRIBUTES] [identity [VALUES] combiner REGION] [element REGION] [epilogue REGION] [ATTRIBUTES]
        : TYPES [into TYPES] [init TYPES] [with TYPES] [-> TYPES]
    ```

    `ATTRIBUTES`, as `{variant = "shared"}`, stand in one of the two places. A `REGION` is in
    braces, as above.

    The combiner of `custom` must be associative and commutative, and its identities neutral:
    elements are combined in any order, with any number of identities. So a NaN, an infinity or -0.0
    that the identity changes, as -inf does with `maxnumf` and +0.0 with `addf`, may come out as it
    is or changed, and a zero has a sign that some order gives it.

    `acc` is the type of every partial result, f32 for f16, bf16 and f8, else the element type.
    `exec` and `params` are facts that passes leave: who executes the op, and the chosen variant's
    parameters.

    At scope `grid` more can be said:

    * `maps` says which elements one iteration reads and writes, as the indexing maps of
      `linalg.generic` do: a map for each source, destination and `with` operand, from the iteration
      space to the operand. `axes` are then dimensions of the iteration space. Dimensions are as
      long as the operands that a map indexes by them alone.
    * `element` computes what is combined, from an element of each source and the index of each
    dimension of the iteration space. `argmax` and `argmin` may be given two values: a value and its
    index. A `custom` reduction combines as many values as `element` yields, which may be more than
    there are sources: there is an identity for each and a pair of arguments of the combiner, and
    `epilogue` makes of them what each destination gets. Below, mean and variance come of one source
    and three values. It may read other memory by `memref.load`, at an index that it computes, which
    the op does not write.
    * `epilogue` computes what is stored, from each result (accumulated, and of the type of partial
      results), an element of each `with` operand, and the index of each dimension that is not
      reduced.
    * `schedule` says how the iteration space is cut and bound.

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

    Mean and variance after Welford, whose partial results are a mean, a sum of squared differences
    from it, and a count (`lit-tests/programs/variance-welford.mlir`):

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
  let summary = "reduce one value a thread; every thread gets its group's result";
  let description = [{
    Groups are `width` threads of the scope, `stride` apart: thread `t` is in a group with those
    threads that differ from it only in the digit `t / stride % width`. Without `width` the scope's
    threads are one group. Both may be any numbers whose product is no more than the scope may have:
    32 for a warp, 128 for a warpgroup, 1024 for a CTA, 16 times that for a cluster. Where that many
    threads do not divide the scope, groups at its end have those threads that are there; in a
    cluster groups are whole blocks or equal parts of one, and the kernel says how many blocks there
    are (`known_cluster_size`).

    ```mlir
    %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
    %m, %j = tile.all_reduce argmax %v, %i scope(cta) : f32, i32 -> f32, i32
    %y = tile.all_reduce sum %v scope(cta) width 8 stride 100 : f32 -> f32
    ```

    `variant` is how the lanes of a warp exchange values: `shuffle` or `redux`. Without it the
    cheaper one that the chip has is taken; `redux` takes whole warps and equal parts of them.
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
  let summary = "end a combiner";
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tile_CopyOp : Tile_Op<"copy", []> {
  let summary = "copy a tile of memory";
  let description = "Source and destination have one shape and one element type.";
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
  let description = "Every holder of an element gets it.";
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
  let description = "One holder of each element writes it.";
  let arguments = (ins Tile_Fragment:$source, Arg<Tile_Memory, "", [MemWrite]>:$destination,
    Tile_ScopeAttr:$scope, OptionalAttr<DictionaryAttr>:$exec);
  let assemblyFormat = [{
    $source `to` $destination `scope` `` `(` custom<Keyword>($scope) `)` attr-dict
    `:` qualified(type($source)) `to` type($destination)
  }];
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tile of registers with one value everywhere";
  let arguments = (ins Tile_Element:$value);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` qualified(type($result))";
}

def Tile_AnnotateOp : Tile_Op<"annotate", []> {
  let summary = "attributes of the linalg op around it";
  let description = [{
    Stands in the body of a linalg op while passes replace that op, and holds the attributes that
    its `tile.reduce` gets. `linalg-sink-attributes` makes it and `linalg-hoist-attributes` removes
    it. `iterator_types` and `output_maps` are those of the op that a `schedule` was written for.

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
