// RUN: tx compile %s --entry lengths --plan - -o /dev/null
// RUN(SHORT): tx run %s --entry lengths --device cpu --arg full:7:8xf32 --arg full:1:8xf32
// RUN(LONG): tx run %s --entry lengths --device cpu --arg full:7:9xf32 --arg full:1:9xf32
// RUN(NONE): tx run %s --entry lengths --device cpu --arg zeros:0xf32 --arg zeros:0xf32
// RUN(TREE): tx compile %s --entry tree --plan - -o /dev/null
// RUN(BOTH): tx run %s --entry tree --device cpu --arg full:7:8xf32 --arg full:1:8xf32 --arg 4
// RUN(FIRST): tx run %s --entry tree --device cpu --arg full:7:8xf32 --arg full:1:8xf32 --arg 5
// RUN(NEITHER): tx run %s --entry tree --device cpu --arg full:7:9xf32 --arg full:1:9xf32 --arg 4
// RUN(ALIGN): tx compile %s --entry aligned --plan - -o /dev/null
// RUN(EVEN): tx run %s --entry aligned --device cpu --arg full:7:8xf32 --arg full:1:8xf32
// RUN(ODD): tx run %s --entry aligned --device cpu --past 1 --arg full:7:8xf32 --arg full:1:8xf32
// RUN(ONLY): tx compile %s --entry only --plan - -o /dev/null
// RUN(STATIC): tx compile %s --entry static --plan - -o /dev/null
// RUN(PARTS): tx run %s --entry parts --device cpu --arg full:7:9xf32 --arg full:1:9xf32
// SNAPSHOT: none — what depends on branches is checked

// An `scf.if` around launches becomes a choice: one step per branch, with the condition of this branch.
// CHECK:      "kernel": "seven",
// CHECK-NEXT: "module": "seven",
// CHECK-NEXT: "choice": 0,
// CHECK-NEXT: "when": [
// CHECK-NEXT:   "arg0.dim0 <= 8"
// CHECK-NEXT: ],
// CHECK-NEXT: "grid": [
// CHECK-NEXT:   "arg0.dim0",
// CHECK:      "kernel": "two",
// CHECK-NEXT: "module": "two",
// CHECK-NEXT: "choice": 0,
// CHECK-NEXT: "when": [
// CHECK-NEXT:   "arg0.dim0 > 8"
// CHECK-NEXT: ],
// CHECK-NEXT: "grid": [
// CHECK-NEXT:   "ceildiv(arg0.dim0, 2)",
// CHECK-NOT:  "choice"
// SHORT:      [7. 7. 7. 7. 7. 7. 7. 7.]
// LONG:       [2. 2. 2. 2. 2. 2. 2. 2. 2.]
// NONE:       []
//
// The else branch of two conditions runs if either fails. An inner `scf.if` adds its condition.
// TREE:       "kernel": "seven",
// TREE:       "choice": 0,
// TREE:       "arg0.dim0 < 9",
// TREE-NEXT:  "arg2 % 4 == 0"
// TREE-NEXT:  ],
// TREE:       "kernel": "two",
// TREE:       "choice": 0,
// TREE:       "arg0.dim0 >= 9",
// TREE-NEXT:  "arg0.stride0 == 1"
// TREE-NEXT:  ],
// TREE:       "kernel": "five",
// TREE:       "choice": 0,
// TREE:       "arg0.dim0 >= 9",
// TREE-NEXT:  "arg0.stride0 < 1"
// TREE-NEXT:  ],
// TREE:       "kernel": "five",
// TREE:       "choice": 0,
// TREE:       "arg0.dim0 >= 9",
// TREE-NEXT:  "arg0.stride0 > 1"
// TREE-NEXT:  ],
// TREE:       "kernel": "two",
// TREE:       "choice": 0,
// TREE:       "arg0.dim0 < 9",
// TREE-NEXT:  "mod(arg2, 4) > 0",
// TREE-NEXT:  "arg0.stride0 == 1"
// TREE-NEXT:  ],
// TREE-COUNT-2: "kernel": "five",
// BOTH:       [7. 7. 7. 7. 7. 7. 7. 7.]
// FIRST:      [2. 2. 2. 2. 2. 2. 2. 2.]
// NEITHER:    [2. 2. 2. 2. 2. 2. 2. 2. 2.]
//
// The address of an argument is known in each run.
// ALIGN:      "kernel": "seven",
// ALIGN:      "arg0.address % 16 == 0"
// ALIGN:      "kernel": "two",
// ALIGN:      "mod(arg0.address, 16) > 0"
// EVEN:       [7. 7. 7. 7. 7. 7. 7. 7.]
// ODD:        [2. 2. 2. 2. 2. 2. 2. 2.]
//
// If the other branch has no launch, the step has a condition, and there is no choice.
// ONLY:       "kernel": "seven",
// ONLY-NOT:   "choice"
// ONLY:       "when": [
// ONLY-NEXT:    "arg0.dim0 == 4"
// ONLY-NEXT:  ],
//
// A static condition is evaluated.
// STATIC:     "kernel": "two",
// STATIC-NOT: "choice"
// STATIC-NOT: "when"
// STATIC-NOT: "kernel"
//
// A branch may contain several launches, views and temporaries.
// PARTS:      [2. 2. 2. 2. 2. 2. 2. 2. 2.]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @seven(%A: memref<?xf32, strided<[?], offset: ?>>, %B: memref<?xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id x
      %x = memref.load %A[%i] : memref<?xf32, strided<[?], offset: ?>>
      memref.store %x, %B[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @two(%B: memref<?xf32>) kernel attributes {known_block_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %two = arith.constant 2.0 : f32
      %n = memref.dim %B, %c0 : memref<?xf32>
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %first = arith.muli %block, %c2 : index
      %i = arith.addi %first, %thread : index
      %inside = arith.cmpi ult, %i, %n : index
      scf.if %inside {
        memref.store %two, %B[%i] : memref<?xf32>
      }
      gpu.return
    }
    gpu.func @five(%B: memref<?xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %i = gpu.block_id x
      %five = arith.constant 5.0 : f32
      memref.store %five, %B[%i] : memref<?xf32>
      gpu.return
    }
  }
  func.func @lengths(%A: memref<?xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %n = memref.dim %A, %c0 : memref<?xf32>
    %all = memref.cast %A : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %short = arith.cmpi sle, %n, %c8 : index
    scf.if %short {
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%all : memref<?xf32, strided<[?], offset: ?>>, %B : memref<?xf32>)
    } else {
      %blocks = arith.ceildivui %n, %c2 : index
      gpu.launch_func @kernels::@two blocks in (%blocks, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%B : memref<?xf32>)
    }
    return
  }
  func.func @tree(%A: memref<?xf32, strided<[?], offset: ?>>, %B: memref<?xf32>, %k: i64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0 : i64
    %four = arith.constant 4 : i64
    %n = memref.dim %A, %c0 : memref<?xf32, strided<[?], offset: ?>>
    %base, %offset, %size, %stride = memref.extract_strided_metadata %A
      : memref<?xf32, strided<[?], offset: ?>> -> memref<f32>, index, index, index
    %short = arith.cmpi slt, %n, %c9 : index
    %rest = arith.remsi %k, %four : i64
    %whole = arith.cmpi eq, %rest, %zero : i64
    %both = arith.andi %short, %whole : i1
    scf.if %both {
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%A : memref<?xf32, strided<[?], offset: ?>>, %B : memref<?xf32>)
    } else {
      %dense = arith.cmpi eq, %stride, %c1 : index
      scf.if %dense {
        %blocks = arith.ceildivui %n, %c2 : index
        gpu.launch_func @kernels::@two blocks in (%blocks, %c1, %c1) threads in (%c2, %c1, %c1)
          args(%B : memref<?xf32>)
      } else {
        gpu.launch_func @kernels::@five blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%B : memref<?xf32>)
      }
    }
    return
  }
  func.func @aligned(%A: memref<?xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %n = memref.dim %A, %c0 : memref<?xf32>
    %all = memref.cast %A : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %address = memref.extract_aligned_pointer_as_index %A : memref<?xf32> -> index
    %over = arith.remui %address, %c16 : index
    %aligned = arith.cmpi eq, %over, %c0 : index
    scf.if %aligned {
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%all : memref<?xf32, strided<[?], offset: ?>>, %B : memref<?xf32>)
    } else {
      %blocks = arith.ceildivui %n, %c2 : index
      gpu.launch_func @kernels::@two blocks in (%blocks, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%B : memref<?xf32>)
    }
    return
  }
  func.func @only(%A: memref<?xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %A, %c0 : memref<?xf32>
    %all = memref.cast %A : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %is = arith.cmpi eq, %n, %c4 : index
    scf.if %is {
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%all : memref<?xf32, strided<[?], offset: ?>>, %B : memref<?xf32>)
    }
    return
  }
  func.func @static(%A: memref<16xf32>, %B: memref<16xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %n = memref.dim %A, %c0 : memref<16xf32>
    %all = memref.cast %A : memref<16xf32> to memref<?xf32, strided<[?], offset: ?>>
    %result = memref.cast %B : memref<16xf32> to memref<?xf32>
    %short = arith.cmpi sle, %n, %c8 : index
    scf.if %short {
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%all : memref<?xf32, strided<[?], offset: ?>>, %result : memref<?xf32>)
    } else {
      gpu.launch_func @kernels::@two blocks in (%c8, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%result : memref<?xf32>)
    }
    return
  }
  func.func @parts(%A: memref<?xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %n = memref.dim %A, %c0 : memref<?xf32>
    %all = memref.cast %A : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
    %long = arith.cmpi sgt, %n, %c8 : index
    scf.if %long {
      %T = memref.alloc(%n) : memref<?xf32>
      %blocks = arith.ceildivui %n, %c2 : index
      gpu.launch_func @kernels::@two blocks in (%blocks, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%T : memref<?xf32>)
      %part = memref.cast %T : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%part : memref<?xf32, strided<[?], offset: ?>>, %B : memref<?xf32>)
      memref.dealloc %T : memref<?xf32>
    } else {
      gpu.launch_func @kernels::@seven blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%all : memref<?xf32, strided<[?], offset: ?>>, %B : memref<?xf32>)
    }
    return
  }
}
