// RUN: tx compile %s --chip sm_80 -o -
// SNAPSHOT: none — what counts is that it compiles.

// Each branch depends on the previous one and folds after it: any number of branches compiles.
// CHECK-LABEL: .entry folded
// CHECK-NOT:   bra
// CHECK:       st.global
// CHECK:       ret
gpu.module @kernels {
  gpu.func @folded(%B: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %B[%t] : memref<32xi32>
    %r0 = arith.constant -1 : i32
    %l0 = arith.constant 5 : index
    %p0 = arith.cmpi ult, %t, %l0 : index
    %r1 = scf.if %p0 -> i32 {
      %q0 = arith.ori %r0, %v : i32
      scf.yield %q0 : i32
    } else {
      scf.yield %r0 : i32
    }
    %l1 = arith.constant 21 : index
    %p1 = arith.cmpi ult, %t, %l1 : index
    %r2 = scf.if %p1 -> i32 {
      %q1 = arith.ori %r1, %v : i32
      scf.yield %q1 : i32
    } else {
      scf.yield %r1 : i32
    }
    %l2 = arith.constant 37 : index
    %p2 = arith.cmpi ult, %t, %l2 : index
    %r3 = scf.if %p2 -> i32 {
      %q2 = arith.ori %r2, %v : i32
      scf.yield %q2 : i32
    } else {
      scf.yield %r2 : i32
    }
    %l3 = arith.constant 53 : index
    %p3 = arith.cmpi ult, %t, %l3 : index
    %r4 = scf.if %p3 -> i32 {
      %q3 = arith.ori %r3, %v : i32
      scf.yield %q3 : i32
    } else {
      scf.yield %r3 : i32
    }
    %l4 = arith.constant 69 : index
    %p4 = arith.cmpi ult, %t, %l4 : index
    %r5 = scf.if %p4 -> i32 {
      %q4 = arith.ori %r4, %v : i32
      scf.yield %q4 : i32
    } else {
      scf.yield %r4 : i32
    }
    %l5 = arith.constant 85 : index
    %p5 = arith.cmpi ult, %t, %l5 : index
    %r6 = scf.if %p5 -> i32 {
      %q5 = arith.ori %r5, %v : i32
      scf.yield %q5 : i32
    } else {
      scf.yield %r5 : i32
    }
    %l6 = arith.constant 101 : index
    %p6 = arith.cmpi ult, %t, %l6 : index
    %r7 = scf.if %p6 -> i32 {
      %q6 = arith.ori %r6, %v : i32
      scf.yield %q6 : i32
    } else {
      scf.yield %r6 : i32
    }
    %l7 = arith.constant 117 : index
    %p7 = arith.cmpi ult, %t, %l7 : index
    %r8 = scf.if %p7 -> i32 {
      %q7 = arith.ori %r7, %v : i32
      scf.yield %q7 : i32
    } else {
      scf.yield %r7 : i32
    }
    %l8 = arith.constant 133 : index
    %p8 = arith.cmpi ult, %t, %l8 : index
    %r9 = scf.if %p8 -> i32 {
      %q8 = arith.ori %r8, %v : i32
      scf.yield %q8 : i32
    } else {
      scf.yield %r8 : i32
    }
    %l9 = arith.constant 149 : index
    %p9 = arith.cmpi ult, %t, %l9 : index
    %r10 = scf.if %p9 -> i32 {
      %q9 = arith.ori %r9, %v : i32
      scf.yield %q9 : i32
    } else {
      scf.yield %r9 : i32
    }
    %l10 = arith.constant 165 : index
    %p10 = arith.cmpi ult, %t, %l10 : index
    %r11 = scf.if %p10 -> i32 {
      %q10 = arith.ori %r10, %v : i32
      scf.yield %q10 : i32
    } else {
      scf.yield %r10 : i32
    }
    %l11 = arith.constant 181 : index
    %p11 = arith.cmpi ult, %t, %l11 : index
    %r12 = scf.if %p11 -> i32 {
      %q11 = arith.ori %r11, %v : i32
      scf.yield %q11 : i32
    } else {
      scf.yield %r11 : i32
    }
    %l12 = arith.constant 197 : index
    %p12 = arith.cmpi ult, %t, %l12 : index
    %r13 = scf.if %p12 -> i32 {
      %q12 = arith.ori %r12, %v : i32
      scf.yield %q12 : i32
    } else {
      scf.yield %r12 : i32
    }
    %l13 = arith.constant 213 : index
    %p13 = arith.cmpi ult, %t, %l13 : index
    %r14 = scf.if %p13 -> i32 {
      %q13 = arith.ori %r13, %v : i32
      scf.yield %q13 : i32
    } else {
      scf.yield %r13 : i32
    }
    %l14 = arith.constant 229 : index
    %p14 = arith.cmpi ult, %t, %l14 : index
    %r15 = scf.if %p14 -> i32 {
      %q14 = arith.ori %r14, %v : i32
      scf.yield %q14 : i32
    } else {
      scf.yield %r14 : i32
    }
    %l15 = arith.constant 245 : index
    %p15 = arith.cmpi ult, %t, %l15 : index
    %r16 = scf.if %p15 -> i32 {
      %q15 = arith.ori %r15, %v : i32
      scf.yield %q15 : i32
    } else {
      scf.yield %r15 : i32
    }
    %l16 = arith.constant 261 : index
    %p16 = arith.cmpi ult, %t, %l16 : index
    %r17 = scf.if %p16 -> i32 {
      %q16 = arith.ori %r16, %v : i32
      scf.yield %q16 : i32
    } else {
      scf.yield %r16 : i32
    }
    %l17 = arith.constant 277 : index
    %p17 = arith.cmpi ult, %t, %l17 : index
    %r18 = scf.if %p17 -> i32 {
      %q17 = arith.ori %r17, %v : i32
      scf.yield %q17 : i32
    } else {
      scf.yield %r17 : i32
    }
    %l18 = arith.constant 293 : index
    %p18 = arith.cmpi ult, %t, %l18 : index
    %r19 = scf.if %p18 -> i32 {
      %q18 = arith.ori %r18, %v : i32
      scf.yield %q18 : i32
    } else {
      scf.yield %r18 : i32
    }
    %l19 = arith.constant 309 : index
    %p19 = arith.cmpi ult, %t, %l19 : index
    %r20 = scf.if %p19 -> i32 {
      %q19 = arith.ori %r19, %v : i32
      scf.yield %q19 : i32
    } else {
      scf.yield %r19 : i32
    }
    %l20 = arith.constant 325 : index
    %p20 = arith.cmpi ult, %t, %l20 : index
    %r21 = scf.if %p20 -> i32 {
      %q20 = arith.ori %r20, %v : i32
      scf.yield %q20 : i32
    } else {
      scf.yield %r20 : i32
    }
    %l21 = arith.constant 341 : index
    %p21 = arith.cmpi ult, %t, %l21 : index
    %r22 = scf.if %p21 -> i32 {
      %q21 = arith.ori %r21, %v : i32
      scf.yield %q21 : i32
    } else {
      scf.yield %r21 : i32
    }
    %l22 = arith.constant 357 : index
    %p22 = arith.cmpi ult, %t, %l22 : index
    %r23 = scf.if %p22 -> i32 {
      %q22 = arith.ori %r22, %v : i32
      scf.yield %q22 : i32
    } else {
      scf.yield %r22 : i32
    }
    %l23 = arith.constant 373 : index
    %p23 = arith.cmpi ult, %t, %l23 : index
    %r24 = scf.if %p23 -> i32 {
      %q23 = arith.ori %r23, %v : i32
      scf.yield %q23 : i32
    } else {
      scf.yield %r23 : i32
    }
    memref.store %r24, %B[%t] : memref<32xi32>
    gpu.return
  }
}
