// RUN: tx-opt %s --gpu-prepare-for-nvvm
// RUN(PTX): tx-opt %s --gpu-to-ptx
// SNAPSHOT: none — CHECK lines state how constant arrays are stored
// SNAPSHOT(PTX): none — CHECK lines state how constant arrays are stored
// VALIDATE

// Constant arrays are aligned to the widest access. LLVM stores 24-bit integers densely and loads them at a
// stride of 4 bytes, so these arrays become bytes, also in a resource.
// CHECK:       memref.global "private" constant @small : memref<3xi7> = {{.+}} {alignment = 16 : i64}
// CHECK:       memref.global "private" constant @padded : memref<12xi8>
// CHECK-SAME:    dense<[1, 0, 0, 0, -1, -1, -1, 0, 0, 0, -128, 0]> {alignment = 64 : i64}
// CHECK:       memref.global "private" constant @resource : memref<6xi8> = dense<[-128, 63, 0, 64, 64, 64]>
// CHECK:       gpu.func @store
// CHECK:         %[[BYTES:.+]] = memref.get_global @padded : memref<12xi8>
// CHECK:         memref.view %[[BYTES]][%{{.+}}][] : memref<12xi8> to memref<3xi24>
// PTX: .global .align 16 .b8 small[3] = {1, 127, 64};
// PTX: .global .align 64 .b8 padded[12] = {1, 0, 0, 0, 255, 255, 255, 0, 0, 0, 128};
// PTX: .global .align 16 .b8 resource[6] = {128, 63, 0, 64, 64, 64};
gpu.module @kernels {
  memref.global "private" constant @small : memref<3xi7> = dense<[1, -1, -64]>
  memref.global "private" constant @padded : memref<3xi24> = dense<[1, -1, -8388608]> {alignment = 64 : i64}
  memref.global "private" constant @resource : memref<3xbf16> = dense_resource<three>
  gpu.func @store(%A: memref<3xi64>, %B: memref<3xi64>, %C: memref<3xbf16>)
      kernel attributes {known_block_size = array<i32: 3, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %i = gpu.thread_id x
    %small = memref.get_global @small : memref<3xi7>
    %a = memref.load %small[%i] : memref<3xi7>
    %x = arith.extsi %a : i7 to i64
    memref.store %x, %A[%i] : memref<3xi64>
    %padded = memref.get_global @padded : memref<3xi24>
    %b = memref.load %padded[%i] : memref<3xi24>
    %y = arith.extsi %b : i24 to i64
    memref.store %y, %B[%i] : memref<3xi64>
    %resource = memref.get_global @resource : memref<3xbf16>
    %c = memref.load %resource[%i] : memref<3xbf16>
    memref.store %c, %C[%i] : memref<3xbf16>
    gpu.return
  }
}
{-#
  dialect_resources: {
    builtin: {
      three: "0x02000000803F00404040"
    }
  }
#-}
