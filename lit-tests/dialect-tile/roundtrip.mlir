// RUN: tx-opt %s
// RUN(GENERIC): tx-opt %s --mlir-print-op-generic
// SNAPSHOT(GENERIC): none — the other snapshot shows these ops, and this form is read back and printed again

// The whole syntax of the dialect is parsed, printed, parsed again and printed
// identically.

// Layouts have aliases, so that types stay short. An offset is printed as a constant.
// CHECK-DAG: #[[ACC:.+]] = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
// CHECK-DAG: #[[ROW:.+]] = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
// CHECK-DAG: #[[ONE:.+]] = #tile.layout<[] replica [<32 : 1 lane>] offset [<3 : constant warp>]>
// CHECK-DAG: #[[ALL:.+]] = #tile.layout<[<2 : 1 warpgroup>, <4 : 1 warp_in_group>, <2 : 1 reg>] offset [<1 : constant reg>, <5 : constant lane>]>
// CHECK-DAG: #tile.layout<[<4 : 2 thread_in_group>, <2 : 1 reg>]>
// CHECK-DAG: #tile.layout<[<8 : 32 thread>] replica [<32 : 1 thread>]>
#acc = #tile.layout<[<2 : 2 reg>, <8 : 4 lane>, <16 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]>
#one = #tile.layout<[] replica [<32 : 1 lane>] offset [<3 : constant warp>]>
#all = #tile.layout<[<2 : 1 warpgroup>, <4 : 1 warp_in_group>, <2 : 1 reg>] offset [<1 : constant reg>, <5 : constant lane>]>

// A fragment of any rank, including 0, has its layout in its type.
// CHECK-LABEL: func.func private @fragments_print_with_aliases
// CHECK-SAME:  !tile.fragment<16x128xf32, #[[ACC]]>
// CHECK-SAME:  !tile.fragment<16xf16, #[[ROW]]>
// CHECK-SAME:  !tile.fragment<i64, #[[ONE]]>
// CHECK-SAME:  !tile.fragment<2x4x2xbf16, #[[ALL]]>
func.func private @fragments_print_with_aliases(
  !tile.fragment<16x128xf32, #acc>, !tile.fragment<16xf16, #row>, !tile.fragment<i64, #one>,
  !tile.fragment<2x4x2xbf16, #all>, !tile.fragment<8xi1, #tile.layout<[<4 : 2 thread_in_group>, <2 : 1 reg>]>>,
  !tile.fragment<8xf8E4M3FN, #tile.layout<[<8 : 32 thread>] replica [<32 : 1 thread>]>>)

// Every kind is a bare keyword.
// CHECK-LABEL: func.func @every_kind
// CHECK-NEXT:  tile.reduce sum
// CHECK-NEXT:  tile.reduce prod
// CHECK-NEXT:  tile.reduce max
// CHECK-NEXT:  tile.reduce min
// CHECK-NEXT:  tile.reduce umax
// CHECK-NEXT:  tile.reduce umin
// CHECK-NEXT:  tile.reduce and
// CHECK-NEXT:  tile.reduce or
// CHECK-NEXT:  tile.reduce xor
// GENERIC-LABEL: sym_name = "fragments_print_with_aliases"
// GENERIC:       kind = #tile.kind<sum>
// GENERIC:       kind = #tile.kind<xor>
func.func @every_kind(%A: memref<4x8xi32>, %B: memref<4xi32>) {
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce prod %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce max %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce min %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce umax %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce umin %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce and %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce or %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  tile.reduce xor %A into %B axes [1] scope(cta) : memref<4x8xi32> into memref<4xi32>
  return
}

// Every scope is a bare keyword, too.
// CHECK-LABEL: func.func @every_scope
// CHECK-NEXT:  scope(thread)
// CHECK-NEXT:  scope(warp)
// CHECK-NEXT:  scope(warpgroup)
// CHECK-NEXT:  scope(cta)
// CHECK-NEXT:  scope(cluster)
// CHECK-NEXT:  scope(grid)
func.func @every_scope(%A: memref<8xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(thread) : memref<8xf32> into memref<f32>
  tile.reduce sum %A into %B axes [0] scope(warp) : memref<8xf32> into memref<f32>
  tile.reduce sum %A into %B axes [0] scope(warpgroup) : memref<8xf32> into memref<f32>
  tile.reduce sum %A into %B axes [0] scope(cta) : memref<8xf32> into memref<f32>
  tile.reduce sum %A into %B axes [0] scope(cluster) : memref<8xf32> into memref<f32>
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<8xf32> into memref<f32>
  return
}

// Axes keep their written form. Reduced dimensions are removed or kept with size 1. Without axes, the op is
// a copy.
// CHECK-LABEL: func.func @axes_as_written
// CHECK-NEXT:  axes [1] {{.*}} into memref<4x2xf32>
// CHECK-NEXT:  axes [-2] {{.*}} into memref<4x1x2xf32>
// CHECK-NEXT:  axes [0, -1] {{.*}} into memref<8xf32>
// CHECK-NEXT:  axes [2, 0, 1] {{.*}} into memref<f32>
// CHECK-NEXT:  axes [] {{.*}} into memref<4x8x2xf32>
func.func @axes_as_written(%A: memref<4x8x2xf32>, %B: memref<4x2xf32>, %C: memref<4x1x2xf32>, %D: memref<8xf32>,
                           %E: memref<f32>, %F: memref<4x8x2xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta) : memref<4x8x2xf32> into memref<4x2xf32>
  tile.reduce sum %A into %C axes [-2] scope(cta) : memref<4x8x2xf32> into memref<4x1x2xf32>
  tile.reduce sum %A into %D axes [0, -1] scope(cta) : memref<4x8x2xf32> into memref<8xf32>
  tile.reduce sum %A into %E axes [2, 0, 1] scope(cta) : memref<4x8x2xf32> into memref<f32>
  tile.reduce sum %A into %F axes [] scope(cta) : memref<4x8x2xf32> into memref<4x8x2xf32>
  return
}

// Memory in any space, with either spelling, with strides, offset and dynamic sizes.
// CHECK-LABEL: func.func @every_memory
// CHECK-COUNT-5: tile.reduce max
func.func @every_memory(
    %global: memref<8x?xf32, strided<[?, 2], offset: ?>, #gpu.address_space<global>>, %plain: memref<8xf32, 1>,
    %shared: memref<8x4xf32, #gpu.address_space<workgroup>>, %also_shared: memref<8xf32, 3>,
    %private: memref<8x4xf32, #gpu.address_space<private>>, %also_private: memref<8xf32, 5>) {
  tile.reduce max %global into %plain axes [1] scope(cta)
    : memref<8x?xf32, strided<[?, 2], offset: ?>, #gpu.address_space<global>> into memref<8xf32, 1>
  tile.reduce max %shared into %also_shared axes [1] scope(cta)
    : memref<8x4xf32, #gpu.address_space<workgroup>> into memref<8xf32, 3>
  tile.reduce max %private into %also_private axes [1] scope(thread)
    : memref<8x4xf32, #gpu.address_space<private>> into memref<8xf32, 5>
  tile.reduce max %shared into %plain axes [1] scope(warp)
    : memref<8x4xf32, #gpu.address_space<workgroup>> into memref<8xf32, 1>
  tile.reduce max %private into %also_shared axes [1] scope(thread)
    : memref<8x4xf32, #gpu.address_space<private>> into memref<8xf32, 3>
  return
}

// Every element type is accepted where the op allows it: i1 in bitwise kinds, 8-bit floats as sources, and
// wider floats as destinations.
// CHECK-LABEL: func.func @every_element_type
// CHECK-COUNT-12: tile.reduce
func.func @every_element_type(
    %f16: memref<8xf16>, %bf16: memref<8xbf16>, %f32: memref<8xf32>, %f64: memref<8xf64>,
    %i8: memref<8xi8>, %i16: memref<8xi16>, %i32: memref<8xi32>, %i64: memref<8xi64>, %i1: memref<8xi1>,
    %e4m3: memref<8xf8E4M3FN>, %e5m2: memref<8xf8E5M2>,
    %rf16: memref<f16>, %rbf16: memref<bf16>, %rf32: memref<f32>, %rf64: memref<f64>,
    %ri8: memref<i8>, %ri16: memref<i16>, %ri32: memref<i32>, %ri64: memref<i64>, %ri1: memref<i1>) {
  tile.reduce sum %f16 into %rf16 axes [0] scope(cta) : memref<8xf16> into memref<f16>
  tile.reduce sum %bf16 into %rbf16 axes [0] scope(cta) : memref<8xbf16> into memref<bf16>
  tile.reduce sum %f32 into %rf32 axes [0] scope(cta) : memref<8xf32> into memref<f32>
  tile.reduce sum %f64 into %rf64 axes [0] scope(cta) : memref<8xf64> into memref<f64>
  tile.reduce sum %i8 into %ri8 axes [0] scope(cta) : memref<8xi8> into memref<i8>
  tile.reduce sum %i16 into %ri16 axes [0] scope(cta) : memref<8xi16> into memref<i16>
  tile.reduce sum %i32 into %ri32 axes [0] scope(cta) : memref<8xi32> into memref<i32>
  tile.reduce sum %i64 into %ri64 axes [0] scope(cta) : memref<8xi64> into memref<i64>
  tile.reduce xor %i1 into %ri1 axes [0] scope(cta) : memref<8xi1> into memref<i1>
  tile.reduce sum %e4m3 into %rf16 axes [0] scope(cta) : memref<8xf8E4M3FN> into memref<f16>
  tile.reduce sum %e5m2 into %rf32 axes [0] scope(cta) : memref<8xf8E5M2> into memref<f32>
  tile.reduce sum %f16 into %rf64 axes [0] scope(cta) : memref<8xf16> into memref<f64>
  return
}

// Attributes follow the syntax, and attributes of passes are printed with those of the program.
// CHECK-LABEL: func.func @attributes
// CHECK-NEXT:  tile.reduce sum {{.*}} scope(cta) accumulate {variant = "shared"} : memref
// CHECK-NEXT:  tile.reduce max {{.*}} scope(cta) {acc = f64, determinism = #tile.determinism<any>, nan = #tile.nan<ignore>} : memref
// CHECK-NEXT:  tile.reduce sum {{.*}} {determinism = #tile.determinism<run_to_run>, nan = #tile.nan<propagate>}
// CHECK-NEXT:  tile.reduce sum {{.*}} {determinism = #tile.determinism<batch_invariant>}
// CHECK-NEXT:  tile.reduce sum {{.*}} {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}, params = {group = 8 : i64}, variant = "shared"}
// CHECK-NEXT:  tile.reduce sum {{.*}} scope(grid) {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.rfactor<"d1.i">, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.bind<"d1.i" to thread_x>]} : memref
func.func @attributes(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(cta) accumulate {variant = "shared"} : memref<4x8xf32> into memref<4xf32>
  tile.reduce max %A into %B axes [1] scope(cta)
    {nan = #tile.nan<ignore>, acc = f64, determinism = #tile.determinism<any>} : memref<4x8xf32> into memref<4xf32>
  tile.reduce sum %A into %B axes [1] scope(cta)
    {nan = #tile.nan<propagate>, determinism = #tile.determinism<run_to_run>} : memref<4x8xf32> into memref<4xf32>
  tile.reduce sum %A into %B axes [1] scope(cta)
    {determinism = #tile.determinism<batch_invariant>} : memref<4x8xf32> into memref<4xf32>
  tile.reduce sum %A into %B axes [1] scope(cta)
    {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}, params = {group = 8 : i64},
     variant = "shared"} : memref<4x8xf32> into memref<4xf32>
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>,
      #tile.rfactor<"d1.i">, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.bind<"d1.i" to thread_x>]}
    : memref<4x8xf32> into memref<4xf32>
  return
}

// All steps of a schedule.
// CHECK-LABEL: func.func private @every_step
// CHECK-SAME:  [#tile.split<"a" by 2>, #tile.align<"b" to 4>, #tile.fuse<["a.o", "c"] to "d">, #tile.reorder<"d", "b.i">, #tile.rfactor<"d">, #tile.unroll<"b.o">, #tile.vectorize<"b.i">, #tile.stream, #tile.evict_last, #tile.prefetch]
func.func private @every_step() attributes {
  steps = [#tile.split<"a" by 2>, #tile.align<"b" to 4>, #tile.fuse<["a.o", "c"] to "d">, #tile.reorder<"d", "b.i">,
           #tile.rfactor<"d">, #tile.unroll<"b.o">, #tile.vectorize<"b.i">, #tile.stream,
           #tile.evict_last, #tile.prefetch]}

// Every processor that a loop can be bound to.
// CHECK-LABEL: func.func private @every_processor
// CHECK-SAME:  [#tile.bind<"a" to block_x>, #tile.bind<"b" to block_y>, #tile.bind<"c" to block_z>, #tile.bind<"d" to thread_x>, #tile.bind<"e" to thread_y>, #tile.bind<"f" to thread_z>]
func.func private @every_processor() attributes {
  loops = [#tile.bind<"a" to block_x>, #tile.bind<"b" to block_y>, #tile.bind<"c" to block_z>,
           #tile.bind<"d" to thread_x>, #tile.bind<"e" to thread_y>, #tile.bind<"f" to thread_z>]}

// The arg kinds have a value and an index of 32 or 64 bits.
// CHECK-LABEL: func.func @value_and_index
// CHECK-NEXT:  tile.reduce argmax %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
// CHECK-NEXT:  tile.reduce argmin %{{.+}} into %{{.+}}, %{{.+}} axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi64>
func.func @value_and_index(%A: memref<?x?xf32>, %V: memref<?xf32>, %I: memref<?xi32>, %J: memref<?xi64>) {
  tile.reduce argmax %A into %V, %I axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi32>
  tile.reduce argmin %A into %V, %J axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>, memref<?xi64>
  return
}

// Combiners of one and two sources, with attributes before or after the region. The argument types are the
// element type or the accumulator type.
// CHECK-LABEL:   func.func @combiners
// CHECK:         tile.reduce custom %{{.+}} into %{{.+}} axes [1] scope(cta) identity [1.000000e+00 : f32] combiner {
// CHECK-NEXT:    ^bb0(%[[L:.+]]: f32, %[[R:.+]]: f32):
// CHECK-NEXT:      %[[P:.+]] = arith.mulf %[[L]], %[[R]] : f32
// CHECK-NEXT:      tile.yield %[[P]] : f32
// CHECK-NEXT:    } : memref<4x8xf32> into memref<4xf32>
// CHECK:         identity [0xFF800000 : f32, -1 : i32] combiner {
// CHECK:         } {variant = "shared"} : memref<4x8xf32>, memref<4x8xi32> into memref<4xf32>, memref<4xi32>
// CHECK:         } {acc = f64} : memref<4x8xf32> into memref<4xf32>
func.func @combiners(%A: memref<4x8xf32>, %J: memref<4x8xi32>, %B: memref<4xf32>, %I: memref<4xi32>) {
  tile.reduce custom %A into %B axes [1] scope(cta) identity [1.0 : f32] combiner {
  ^bb0(%l: f32, %r: f32):
    %p = arith.mulf %l, %r : f32
    tile.yield %p : f32
  } : memref<4x8xf32> into memref<4xf32>
  tile.reduce custom %A, %J into %B, %I axes [1] scope(cta) {variant = "shared"}
      identity [0xFF800000 : f32, -1 : i32] combiner {
  ^bb0(%l0: f32, %l1: i32, %r0: f32, %r1: i32):
    %left = arith.cmpf oge, %l0, %r0 : f32
    %v = arith.select %left, %l0, %r0 : f32
    %i = arith.select %left, %l1, %r1 : i32
    tile.yield %v, %i : f32, i32
  } : memref<4x8xf32>, memref<4x8xi32> into memref<4xf32>, memref<4xi32>
  tile.reduce custom %A into %B axes [1] scope(cta) identity [0.0 : f64] combiner {
  ^bb0(%l: f64, %r: f64):
    %s = arith.addf %l, %r : f64
    tile.yield %s : f64
  } {acc = f64} : memref<4x8xf32> into memref<4xf32>
  return
}

// Fragments are reduced to fragments, with or without an old value, and come from and go to memory.
// CHECK-LABEL: func.func @registers
// CHECK:       %[[X:.+]] = tile.load %{{.+}} scope(warp) : memref<16x128xf32> -> !tile.fragment<16x128xf32, #[[ACC]]>
// CHECK-NEXT:  %[[OLD:.+]] = tile.splat %{{.+}} : f32 -> !tile.fragment<16xf32, #[[ROW]]>
// CHECK-NEXT:  %[[MAX:.+]] = tile.reduce max %[[X]] axes [1] scope(warp) : !tile.fragment<16x128xf32, #[[ACC]]> -> !tile.fragment<16xf32, #[[ROW]]>
// CHECK-NEXT:  tile.reduce sum %[[X]] init(%[[OLD]]) axes [1] scope(warp) accumulate : !tile.fragment<16x128xf32, #[[ACC]]> init !tile.fragment<16xf32, #[[ROW]]> -> !tile.fragment<16xf32, #[[ROW]]>
// CHECK-NEXT:  tile.store %[[MAX]] to %{{.+}} scope(warp) : !tile.fragment<16xf32, #[[ROW]]> to memref<16xf32>
// CHECK-NEXT:  :2 = tile.reduce argmin %[[X]] axes [1] scope(warp) : !tile.fragment<16x128xf32, #[[ACC]]> -> !tile.fragment<16xf32, #[[ROW]]>, !tile.fragment<16xi32, #[[ROW]]>
func.func @registers(%A: memref<16x128xf32>, %B: memref<16xf32>, %c: f32) {
  %x = tile.load %A scope(warp) : memref<16x128xf32> -> !tile.fragment<16x128xf32, #acc>
  %old = tile.splat %c : f32 -> !tile.fragment<16xf32, #row>
  %max = tile.reduce max %x axes [1] scope(warp) : !tile.fragment<16x128xf32, #acc> -> !tile.fragment<16xf32, #row>
  %sum = tile.reduce sum %x init(%old) axes [1] scope(warp) accumulate
    : !tile.fragment<16x128xf32, #acc> init !tile.fragment<16xf32, #row> -> !tile.fragment<16xf32, #row>
  tile.store %max to %B scope(warp) : !tile.fragment<16xf32, #row> to memref<16xf32>
  %v, %i = tile.reduce argmin %x axes [1] scope(warp)
    : !tile.fragment<16x128xf32, #acc> -> !tile.fragment<16xf32, #row>, !tile.fragment<16xi32, #row>
  return
}

// A copy keeps shape and type, and changes the space.
// CHECK-LABEL: func.func @copy
// CHECK-NEXT:  tile.copy %{{.+}} to %{{.+}} scope(cta) : memref<4x8xf32> to memref<4x8xf32, #gpu.address_space<workgroup>>
func.func @copy(%A: memref<4x8xf32>, %S: memref<4x8xf32, #gpu.address_space<workgroup>>) {
  tile.copy %A to %S scope(cta) : memref<4x8xf32> to memref<4x8xf32, #gpu.address_space<workgroup>>
  return
}

// An exchange takes one value of each thread, and returns the value of the group.
// CHECK-LABEL: func.func @all_reduce
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(warp) width 8 stride 1 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce max %{{.+}} scope(warp) width 4 stride 8 {nan = #tile.nan<ignore>} : f32 -> f32
// CHECK-NEXT:  tile.all_reduce min %{{.+}} scope(warpgroup) width 128 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce argmax %{{.+}}, %{{.+}} scope(cta) : f32, i32 -> f32, i32
// CHECK-NEXT:  tile.all_reduce custom %{{.+}}, %{{.+}} scope(cta) identity [0.000000e+00 : f32, 0 : i32] combiner {
// CHECK:       } : f32, i32 -> f32, i32
func.func @all_reduce(%v: f32, %i: i32) {
  %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
  %t = tile.all_reduce max %v scope(warp) width 4 stride 8 {nan = #tile.nan<ignore>} : f32 -> f32
  %u = tile.all_reduce min %v scope(warpgroup) width 128 : f32 -> f32
  %m, %j = tile.all_reduce argmax %v, %i scope(cta) : f32, i32 -> f32, i32
  %c:2 = tile.all_reduce custom %v, %i scope(cta) identity [0.0 : f32, 0 : i32] combiner {
  ^bb0(%l0: f32, %l1: i32, %r0: f32, %r1: i32):
    %a = arith.addf %l0, %r0 : f32
    %b = arith.addi %l1, %r1 : i32
    tile.yield %a, %b : f32, i32
  } : f32, i32 -> f32, i32
  return
}

// The generic form of an op is read as well.
// CHECK-LABEL: func.func @generic_form
// CHECK-NEXT:  tile.reduce sum %{{.+}} into %{{.+}} axes [-1] scope(cta) accumulate : memref<4x8xf32> into memref<4xf32>
func.func @generic_form(%A: memref<4x8xf32>, %B: memref<4xf32>) {
  "tile.reduce"(%A, %B) <{accumulate, axes = array<i64: -1>, kind = #tile.kind<sum>,
    operandSegmentSizes = array<i32: 1, 1, 0, 0>, scope = #tile.scope<cta>}> ({
  }, {
  }, {
  }) : (memref<4x8xf32>, memref<4xf32>) -> ()
  return
}
