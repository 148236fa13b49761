// RUN(AFTER): not tx compile %s --entry used_after 2>&1
// EXIT: 1
// RUN(TWICE): not tx compile %s --entry freed_twice 2>&1
// EXIT: 1
// RUN(ARGUMENT): not tx compile %s --entry argument 2>&1
// EXIT: 1
// SNAPSHOT: none — each message is checked.

// Memory must not be used after `dealloc`, not be freed twice, and be freed by its allocating function.
// AFTER:         error: `gpu.launch_func` uses memory that was freed before
// AFTER-NEXT:      memref.copy %t, %B
// AFTER:         note: it is freed here
// TWICE:         error: `memref.dealloc` uses memory that was freed before
// ARGUMENT:      error: an argument cannot be freed: the caller owns its memory
// ARGUMENT:      note: free only the results of `memref.alloc`
func.func @used_after(%B: memref<5xf32>) {
  %t = memref.alloc() : memref<5xf32>
  memref.copy %B, %t : memref<5xf32> to memref<5xf32>
  memref.dealloc %t : memref<5xf32>
  memref.copy %t, %B : memref<5xf32> to memref<5xf32>
  return
}
func.func @freed_twice(%B: memref<5xf32>) {
  %t = memref.alloc() : memref<5xf32>
  memref.dealloc %t : memref<5xf32>
  memref.dealloc %t : memref<5xf32>
  return
}
func.func @argument(%B: memref<5xf32>) {
  memref.dealloc %B : memref<5xf32>
  return
}
