// RUN: tx-opt %s --split-input-file --verify-diagnostics

// The axis of a layout entry is one of seven.
func.func private @unknown_axis() attributes {
  // expected-error @below {{unknown axis `column`; known: reg, lane, warp, warp_in_group, thread_in_group, warpgroup, thread}}
  a = #tile.layout<[<8 : 1 column>]>}

// -----

// An entry names its axis.
func.func private @entry_without_axis() attributes {
  // expected-error @below {{expected valid keyword}}
  a = #tile.layout<[<8 : 1>]>}

// -----

// An entry gives its stride.
func.func private @entry_without_stride() attributes {
  // expected-error @below {{expected integer value}}
  a = #tile.layout<[<8 : lane>]>}

// -----

// An entry needs at least one coordinate.
func.func private @extent_of_zero() attributes {
  // expected-error @below {{an extent must be at least 1, found 0}}
  a = #tile.layout<[<0 : 1 lane>]>}

// -----

// Replicas have the same rules as shards.
func.func private @replica_of_zero() attributes {
  // expected-error @below {{an extent must be at least 1, found 0}}
  a = #tile.layout<[<8 : 1 lane>] replica [<0 : 8 lane>]>}

// -----

// Strides must not be negative.
func.func private @negative_stride() attributes {
  // expected-error @below {{a stride must not be negative, found -1}}
  a = #tile.layout<[<8 : -1 lane>]>}

// -----

// A warp has 32 lanes.
func.func private @beyond_the_last_lane() attributes {
  // expected-error @below {{coordinates on axis `lane` range from 0 to 56, but the extent of the axis is 32}}
  a = #tile.layout<[<8 : 8 lane>]>}

// -----

// The extents of shards, replicas and offsets of one axis add up.
func.func private @beyond_the_last_lane_by_replica_and_offset() attributes {
  // expected-error @below {{coordinates on axis `lane` range from 1 to 32, but the extent of the axis is 32}}
  a = #tile.layout<[<16 : 1 lane>] replica [<2 : 16 lane>] offset [<1 : constant lane>]>}

// -----

// A warpgroup has four warps.
func.func private @beyond_the_warpgroup() attributes {
  // expected-error @below {{coordinates on axis `warp_in_group` range from 0 to 7, but the extent of the axis is 4}}
  a = #tile.layout<[<8 : 1 warp_in_group>]>}

// -----

// A warpgroup has 128 threads.
func.func private @beyond_the_threads_of_a_warpgroup() attributes {
  // expected-error @below {{coordinates on axis `thread_in_group` range from 0 to 255, but the extent of the axis is 128}}
  a = #tile.layout<[<256 : 1 thread_in_group>]>}

// -----

// A block has at most 32 warps.
func.func private @beyond_the_last_warp() attributes {
  // expected-error @below {{coordinates on axis `warp` range from 0 to 63, but the extent of the axis is 32}}
  a = #tile.layout<[<64 : 1 warp>]>}

// -----

// A block has at most 8 warpgroups.
func.func private @beyond_the_last_warpgroup() attributes {
  // expected-error @below {{coordinates on axis `warpgroup` range from 0 to 15, but the extent of the axis is 8}}
  a = #tile.layout<[<16 : 1 warpgroup>]>}

// -----

// A block has at most 1024 threads.
func.func private @beyond_the_last_thread() attributes {
  // expected-error @below {{coordinates on axis `thread` range from 0 to 2047, but the extent of the axis is 1024}}
  a = #tile.layout<[<2048 : 1 thread>]>}

// -----

// The first lane must not be negative.
func.func private @before_the_first_lane() attributes {
  // expected-error @below {{coordinates on axis `lane` range from -1 to -1, but the extent of the axis is 32}}
  a = #tile.layout<[] offset [<-1 : constant lane>]>}

// -----

// A lane must not hold two elements in one register.
func.func private @lanes_that_meet() attributes {
  // expected-error @below {{the layout maps two coordinates to thread 2, expected at most one}}
  a = #tile.layout<[<2 : 2 lane>, <4 : 1 lane>]>}

// -----

// Lanes and warps are both threads, so their positions may overlap.
func.func private @axes_that_meet() attributes {
  // expected-error @below {{the layout maps two coordinates to thread 32, expected at most one}}
  a = #tile.layout<[<2 : 1 warp>, <2 : 32 thread>]>}

// -----

// A replica must not be at the position of the original.
func.func private @replica_on_top() attributes {
  // expected-error @below {{the layout maps two coordinates to thread 4, expected at most one}}
  a = #tile.layout<[<8 : 1 lane>] replica [<2 : 4 lane>]>}

// -----

// Two entries must not use the same registers.
func.func private @registers_that_meet() attributes {
  // expected-error @below {{the layout maps two coordinates to register 1, expected at most one}}
  a = #tile.layout<[<8 : 1 lane>, <2 : 1 reg>, <2 : 1 reg>]>}

// -----

// A stride of zero puts all coordinates at one position.
func.func private @stride_of_zero() attributes {
  // expected-error @below {{the layout maps two coordinates to thread 0, expected at most one}}
  a = #tile.layout<[<8 : 0 lane>]>}

// -----

// Every element needs a position.
func.func private @fewer_places_than_elements(
  // expected-error @below {{the layout places 8 elements, but the shape has 16}}
  !tile.fragment<16xf32, #tile.layout<[<8 : 1 lane>]>>)

// -----

// Every position needs an element; copies are replicas.
func.func private @more_places_than_elements(
  // expected-error @below {{the layout places 16 elements, but the shape has 8}}
  !tile.fragment<2x4xf32, #tile.layout<[<2 : 1 reg>, <8 : 1 lane>]>>)

// -----

// A fragment without elements has no layout.
func.func private @no_elements(
  // expected-error @below {{but the shape has 0}}
  !tile.fragment<0xf32, #tile.layout<[]>>)

// -----

// Registers cannot have a dynamic number.
func.func private @dynamic_fragment(
  // expected-error @below {{expected static shape}}
  !tile.fragment<?xf32, #tile.layout<[<8 : 1 lane>]>>)

// -----

// A fragment needs elements of static size.
func.func private @fragment_of_index(
  // expected-error @below {{i32 or i64, found `index`}}
  !tile.fragment<8xindex, #tile.layout<[<8 : 1 lane>]>>)

// -----

// A fragment has a layout.
func.func private @fragment_without_layout(
  // expected-error @below {{expected ','}}
  !tile.fragment<8xf32>)

// -----

// The `nan` policy is one of two words.
func.func private @unknown_nan_policy() attributes {
  // expected-error @below {{unknown nan `quiet`; known: propagate, ignore}}
  a = #tile.nan<quiet>}

// -----

// There are three degrees of determinism.
func.func private @unknown_determinism() attributes {
  // expected-error @below {{unknown determinism `mostly`; known: any, run_to_run, batch_invariant}}
  a = #tile.determinism<mostly>}

// -----

// A loop can only be bound to a dimension of the grid or the block.
func.func private @unknown_processor() attributes {
  // expected-error @below {{unknown processor `lane_x`; known: block_x, block_y, block_z, cluster_x, cluster_y, cluster_z, thread_x, thread_y, thread_z}}
  a = #tile.bind<"d0" to lane_x>}

// -----

// A kind attribute has the same rules as the kind of an op.
func.func private @unknown_kind() attributes {
  // expected-error @below {{unknown kind `mean`; known: sum, prod, max, min, umax, umin, and, or, xor, argmax, argmin, custom}}
  a = #tile.kind<mean>}
