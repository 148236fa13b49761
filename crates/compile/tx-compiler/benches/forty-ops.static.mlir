// 40 ops on tensors for a benchmark of compilation: four times a softmax of rows, a tanh, a normalisation of rows, a
// residual sum and a rectifier.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<512x1024xf32>, %g: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<512x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %et = tensor.empty() : tensor<512x1024xf32>
  %ev = tensor.empty() : tensor<512xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%ev : tensor<512xf32>) -> tensor<512xf32>
  %fi = linalg.fill ins(%inf : f32) outs(%ev : tensor<512xf32>) -> tensor<512xf32>
  %r1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x1024xf32>) outs(%fi : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %r1 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %z = arith.subf %a0, %a1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r2 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r4 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r2, %r3 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.divf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r4 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r6 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r5 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r7 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r5 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r9 = linalg.generic {indexing_maps = [#id, #row, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%r5, %r6, %r7, %g, %b : tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %o: f32):
    %n = arith.constant 9.765625e-04 : f32
    %mn = arith.mulf %a1, %n : f32
    %v = arith.mulf %a2, %n : f32
    %mm = arith.mulf %mn, %mn : f32
    %w = arith.subf %v, %mm : f32
    %eps = arith.constant 1.0e-5 : f32
    %w2 = arith.addf %w, %eps : f32
    %rs = math.rsqrt %w2 : f32
    %cc = arith.subf %a0, %mn : f32
    %h = arith.mulf %cc, %rs : f32
    %hh = arith.mulf %h, %a3 : f32
    %y = arith.addf %hh, %a4 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r10 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r9, %x : tensor<512x1024xf32>, tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r11 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r10 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %zz = arith.constant 0.0 : f32
    %y = arith.maximumf %a0, %zz : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r12 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r11 : tensor<512x1024xf32>) outs(%fi : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r13 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r11, %r12 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %z = arith.subf %a0, %a1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r14 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r13 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r15 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r13, %r14 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.divf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r16 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r15 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r17 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r16 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r18 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r16 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r20 = linalg.generic {indexing_maps = [#id, #row, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%r16, %r17, %r18, %g, %b : tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %o: f32):
    %n = arith.constant 9.765625e-04 : f32
    %mn = arith.mulf %a1, %n : f32
    %v = arith.mulf %a2, %n : f32
    %mm = arith.mulf %mn, %mn : f32
    %w = arith.subf %v, %mm : f32
    %eps = arith.constant 1.0e-5 : f32
    %w2 = arith.addf %w, %eps : f32
    %rs = math.rsqrt %w2 : f32
    %cc = arith.subf %a0, %mn : f32
    %h = arith.mulf %cc, %rs : f32
    %hh = arith.mulf %h, %a3 : f32
    %y = arith.addf %hh, %a4 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r21 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r20, %x : tensor<512x1024xf32>, tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r22 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r21 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %zz = arith.constant 0.0 : f32
    %y = arith.maximumf %a0, %zz : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r23 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r22 : tensor<512x1024xf32>) outs(%fi : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r24 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r22, %r23 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %z = arith.subf %a0, %a1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r25 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r24 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r26 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r24, %r25 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.divf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r27 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r26 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r28 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r27 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r29 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r27 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r31 = linalg.generic {indexing_maps = [#id, #row, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%r27, %r28, %r29, %g, %b : tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %o: f32):
    %n = arith.constant 9.765625e-04 : f32
    %mn = arith.mulf %a1, %n : f32
    %v = arith.mulf %a2, %n : f32
    %mm = arith.mulf %mn, %mn : f32
    %w = arith.subf %v, %mm : f32
    %eps = arith.constant 1.0e-5 : f32
    %w2 = arith.addf %w, %eps : f32
    %rs = math.rsqrt %w2 : f32
    %cc = arith.subf %a0, %mn : f32
    %h = arith.mulf %cc, %rs : f32
    %hh = arith.mulf %h, %a3 : f32
    %y = arith.addf %hh, %a4 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r32 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r31, %x : tensor<512x1024xf32>, tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r33 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r32 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %zz = arith.constant 0.0 : f32
    %y = arith.maximumf %a0, %zz : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r34 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r33 : tensor<512x1024xf32>) outs(%fi : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r35 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r33, %r34 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %z = arith.subf %a0, %a1 : f32
    %y = math.exp %z : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r36 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r35 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r37 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%r35, %r36 : tensor<512x1024xf32>, tensor<512xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.divf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r38 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r37 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r39 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r38 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r40 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r38 : tensor<512x1024xf32>) outs(%fz : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %r42 = linalg.generic {indexing_maps = [#id, #row, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%r38, %r39, %r40, %g, %b : tensor<512x1024xf32>, tensor<512xf32>, tensor<512xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %o: f32):
    %n = arith.constant 9.765625e-04 : f32
    %mn = arith.mulf %a1, %n : f32
    %v = arith.mulf %a2, %n : f32
    %mm = arith.mulf %mn, %mn : f32
    %w = arith.subf %v, %mm : f32
    %eps = arith.constant 1.0e-5 : f32
    %w2 = arith.addf %w, %eps : f32
    %rs = math.rsqrt %w2 : f32
    %cc = arith.subf %a0, %mn : f32
    %h = arith.mulf %cc, %rs : f32
    %hh = arith.mulf %h, %a3 : f32
    %y = arith.addf %hh, %a4 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r43 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%r42, %x : tensor<512x1024xf32>, tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %y = arith.addf %a0, %a1 : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  %r44 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r43 : tensor<512x1024xf32>) outs(%et : tensor<512x1024xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %zz = arith.constant 0.0 : f32
    %y = arith.maximumf %a0, %zz : f32
    linalg.yield %y : f32
  } -> tensor<512x1024xf32>
  return %r44 : tensor<512x1024xf32>
}
