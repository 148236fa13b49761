// Bounds, alignment, initialisation, private memory and constants.
gpu.module @memory {
  llvm.mlir.global internal @static() {addr_space = 3 : i32} : !llvm.array<8 x i32>
  llvm.mlir.global internal @second() {addr_space = 3 : i32} : !llvm.array<8 x i32>
  llvm.mlir.global internal @unused() {addr_space = 3 : i32} : !llvm.array<999 x i32>
  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.mlir.global internal constant @table(dense<[10, 20, 30, 40]> : tensor<4xi32>) : !llvm.array<4 x i32>
  llvm.mlir.global internal @counter(0 : i32) {addr_space = 1 : i32} : i32

  // Reads element %index of %in.
  llvm.func @read(%in: !llvm.ptr<1>, %index: i64) attributes {gpu.kernel, nvvm.kernel} {
    %at = llvm.getelementptr inbounds|nuw %in[%index] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %at : !llvm.ptr<1> -> f32 loc("read.mlir":5:9)
    llvm.return
  }

  // Writes 16 bytes at byte %offset of %out, through a generic pointer.
  llvm.func @write16(%out: !llvm.ptr, %offset: i64) attributes {gpu.kernel, nvvm.kernel} {
    %v = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
    %at = llvm.getelementptr %out[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    llvm.store %v, %at : vector<4xf32>, !llvm.ptr
    llvm.return
  }

  // Writes element %index of the static shared array and reads element %from.
  llvm.func @shared(%index: i32, %from: i32) attributes {gpu.kernel, nvvm.kernel} {
    %static = llvm.mlir.addressof @static : !llvm.ptr<3>
    %w = llvm.getelementptr %static[%index] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %index, %w : i32, !llvm.ptr<3>
    %r = llvm.getelementptr %static[%from] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %r : !llvm.ptr<3> -> i32
    llvm.return
  }

  // Uses both static arrays, and writes element %index of the first.
  llvm.func @neighbours(%index: i32) attributes {gpu.kernel, nvvm.kernel} {
    %static = llvm.mlir.addressof @static : !llvm.ptr<3>
    %second = llvm.mlir.addressof @second : !llvm.ptr<3>
    llvm.store %index, %second : i32, !llvm.ptr<3>
    %w = llvm.getelementptr inbounds %static[%index] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %index, %w : i32, !llvm.ptr<3>
    llvm.return
  }

  // Writes byte %index of dynamic shared memory, which follows the static array.
  llvm.func @dynamic_shared(%index: i32) attributes {gpu.kernel, nvvm.kernel} {
    %static = llvm.mlir.addressof @static : !llvm.ptr<3>
    %dynamic = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %one = llvm.mlir.constant(1 : i8) : i8
    llvm.store %index, %static : i32, !llvm.ptr<3>
    %w = llvm.getelementptr %dynamic[%index] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    llvm.store %one, %w : i8, !llvm.ptr<3>
    %v = llvm.load %static : !llvm.ptr<3> -> i32
    llvm.return
  }

  // Stores the thread index in element %index of a private array, and copies the element to %out.
  llvm.func @private(%out: !llvm.ptr<1>, %index: i32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %array = llvm.alloca %four x i32 : (i32) -> !llvm.ptr
    %at = llvm.getelementptr %array[%index] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %t, %at : i32, !llvm.ptr
    nvvm.barrier0
    %v = llvm.load %at : !llvm.ptr -> i32
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Reads the table in a function, and counts the calls in a global variable. If %write, writes the table.
  llvm.func @lookup(%table: !llvm.ptr, %t: i32) -> i32 {
    %at = llvm.getelementptr %table[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %v = llvm.load %at : !llvm.ptr -> i32
    llvm.return %v : i32
  }
  llvm.func @constants(%out: !llvm.ptr<1>, %write: i1) attributes {gpu.kernel, nvvm.kernel} {
    %table = llvm.mlir.addressof @table : !llvm.ptr
    %counter = llvm.mlir.addressof @counter : !llvm.ptr<1>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %v = llvm.call @lookup(%table, %t) : (!llvm.ptr, i32) -> i32
    %old = llvm.atomicrmw add %counter, %one monotonic : !llvm.ptr<1>, i32
    %sum = llvm.add %v, %old : i32
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %sum, %to : i32, !llvm.ptr<1>
    llvm.cond_br %write, ^write, ^end
  ^write:
    llvm.store %one, %table : i32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Copies %bytes bytes, then reads four elements with a mask that excludes the elements from %bytes / 4 on.
  llvm.func @copy(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %bytes: i64) attributes {gpu.kernel, nvvm.kernel} {
    "llvm.intr.memcpy"(%out, %in, %bytes) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<1>, i64) -> ()
    %two = llvm.mlir.constant(2 : i64) : i64
    %n0 = llvm.lshr %bytes, %two : i64
    %n1 = llvm.trunc %n0 : i64 to i32
    %lanes = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>) : vector<4xi32>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %none = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
    %n2 = llvm.insertelement %n1, %none[%zero : i32] : vector<4xi32>
    %n = llvm.shufflevector %n2, %none [0, 0, 0, 0] : vector<4xi32>
    %mask = llvm.icmp "ult" %lanes, %n : vector<4xi32>
    %v = llvm.intr.masked.load %in, %mask, %none {alignment = 4 : i32} : (!llvm.ptr<1>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
    llvm.intr.masked.store %v, %out, %mask {alignment = 4 : i32} : vector<4xi32>, vector<4xi1> into !llvm.ptr<1>
    llvm.return
  }

  llvm.func @divide(%out: !llvm.ptr<1>, %a: i32, %b: i32) attributes {gpu.kernel, nvvm.kernel} {
    %v = llvm.sdiv %a, %b : i32 loc("divide.mlir":3:3)
    llvm.store %v, %out : i32, !llvm.ptr<1>
    llvm.return
  }

  // Declares a block size of 48 threads.
  llvm.func @promised(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x range <i32, 0, 48> : i32 loc("range.mlir":2:9)
    %at = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %t, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  // Function that calls itself %n times.
  llvm.func @down(%n: i32) -> i32 {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %big = llvm.mlir.constant(1000 : i32) : i32
    %array = llvm.alloca %big x i32 : (i32) -> !llvm.ptr
    llvm.store %n, %array : i32, !llvm.ptr
    %done = llvm.icmp "eq" %n, %zero : i32
    llvm.cond_br %done, ^end(%zero : i32), ^more
  ^more:
    %m = llvm.sub %n, %one : i32
    %r = llvm.call @down(%m) : (i32) -> i32
    %v = llvm.load %array : !llvm.ptr -> i32
    %s = llvm.add %r, %v : i32
    llvm.br ^end(%s : i32)
  ^end(%x: i32):
    llvm.return %x : i32
  }
  llvm.func @recursive(%out: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %v = llvm.call @down(%n) : (i32) -> i32
    llvm.store %v, %out : i32, !llvm.ptr<1>
    llvm.return
  }

  // Stores the position of the thread: x, y, z, lane, warp, block x, y, z.
  llvm.func @where(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %x = nvvm.read.ptx.sreg.tid.x : i32
    %y = nvvm.read.ptx.sreg.tid.y : i32
    %z = nvvm.read.ptx.sreg.tid.z : i32
    %nx = nvvm.read.ptx.sreg.ntid.x : i32
    %ny = nvvm.read.ptx.sreg.ntid.y : i32
    %nz = nvvm.read.ptx.sreg.ntid.z : i32
    %bx = nvvm.read.ptx.sreg.ctaid.x : i32
    %by = nvvm.read.ptx.sreg.ctaid.y : i32
    %bz = nvvm.read.ptx.sreg.ctaid.z : i32
    %gx = nvvm.read.ptx.sreg.nctaid.x : i32
    %gy = nvvm.read.ptx.sreg.nctaid.y : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %warp = nvvm.read.ptx.sreg.warpid : i32
    %i0 = llvm.mul %bz, %gy : i32
    %i1 = llvm.add %i0, %by : i32
    %i2 = llvm.mul %i1, %gx : i32
    %i3 = llvm.add %i2, %bx : i32
    %i4 = llvm.mul %i3, %nz : i32
    %i5 = llvm.add %i4, %z : i32
    %i6 = llvm.mul %i5, %ny : i32
    %i7 = llvm.add %i6, %y : i32
    %i8 = llvm.mul %i7, %nx : i32
    %i = llvm.add %i8, %x : i32
    %at = llvm.getelementptr %out[%i, 0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %lane, %at : i32, !llvm.ptr<1>
    %next = llvm.getelementptr %out[%i, 1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %warp, %next : i32, !llvm.ptr<1>
    llvm.return
  }
}
