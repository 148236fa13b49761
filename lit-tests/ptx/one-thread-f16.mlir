// RUN: tx compile %s --chip sm_90
// PTXAS: sm_80 sm_90 sm_100

// One thread copies and sums f16 tiles. LLVM merges the unrolled accesses to 16 bytes, so the tiles must be
// aligned to 16 bytes, not to the 2 bytes of an element.
// CHECK:     .shared .align 16
// CHECK:     .shared .align 16
// CHECK:     ld.shared.v4
// CHECK-NOT: .shared .align 2
#shared = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @alone(%A: memref<31x20xf16>, %B: memref<20xf16>)
      workgroup(%As: memref<31x20xf16, #shared>, %Bs: memref<20xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<31x20xf16> to memref<31x20xf16, #shared>
    tile.reduce sum %As into %Bs axes [0] scope(cta) : memref<31x20xf16, #shared> into memref<20xf16, #shared>
    tile.copy %Bs to %B scope(cta) : memref<20xf16, #shared> to memref<20xf16>
    gpu.return
  }
}
