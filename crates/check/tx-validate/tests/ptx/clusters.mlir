// 5 cluster barriers, 1 election, 8 fences
gpu.module @kernels {
  gpu.func @clusters(%A: memref<64xi32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    nvvm.cluster.arrive
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait
    nvvm.cluster.wait {aligned}
    %e = nvvm.elect.sync -> i1
    nvvm.fence.sc.cluster
    nvvm.fence.mbarrier.init
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cluster>}
    nvvm.fence.proxy.release #nvvm.mem_scope<gpu>
    %x = arith.extui %e : i1 to i32
    memref.store %x, %A[%t] : memref<64xi32>
    gpu.return
  }
}
