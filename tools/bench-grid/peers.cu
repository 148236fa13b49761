// Shared library of C functions for bench-grid.py. The functions launch CUB reductions, and a
// kernel that reads device memory.
//
// Each function returns a status of the CUDA runtime. If `temp` is null, the CUB functions only set
// `bytes`, the required size of temporary storage.
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cmath>
#include <string>

namespace {

// Reads an array. Each thread loads `Vectors` vectors of 16 bytes before it uses the first vector.
template <int Vectors>
__global__ void read_tiles(const uint4 *data, unsigned *out) {
  const uint4 *tile = data + static_cast<size_t>(blockIdx.x) * blockDim.x * Vectors + threadIdx.x;
  uint4 loaded[Vectors];
#pragma unroll
  for (int i = 0; i < Vectors; ++i)
    loaded[i] = __ldcs(tile + i * blockDim.x);
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < Vectors; ++i)
    all ^= loaded[i].x ^ loaded[i].y ^ loaded[i].z ^ loaded[i].w;
  // This condition is almost never true. Its purpose is to prevent the compiler from removing the
  // loads.
  if (all == 0x9e3779b9u)
    *out = all;
}

struct Begin {
  long long length;
  __host__ __device__ long long operator()(long long row) const { return row * length; }
};

// The operators compute in `Acc`, the type of partial results.
template <typename Acc> struct Plus {
  __host__ __device__ Acc operator()(Acc a, Acc b) const { return a + b; }
};

template <typename Acc> struct Maximum {
  __host__ __device__ Acc operator()(Acc a, Acc b) const { return a < b ? b : a; }
};

template <typename T, template <typename> typename Op, typename Acc>
cudaError_t reduce(void *temp, size_t *bytes, const void *in, void *out, long long rows, long long columns, Acc start,
                   cudaStream_t stream) {
  Op<Acc> op;
  const T *from = static_cast<const T *>(in);
  T *to = static_cast<T *>(out);
  if (rows == 1)
    return cub::DeviceReduce::Reduce(temp, *bytes, from, to, columns, op, start, stream);
  auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), Begin{columns});
  return cub::DeviceSegmentedReduce::Reduce(temp, *bytes, from, to, rows, begin, begin + 1, op, start, stream);
}

} // namespace

extern "C" int peer_read(int vectors, int threads, const void *data, long long bytes, void *out, void *stream) {
  auto blocks = static_cast<unsigned>(bytes / (16LL * vectors * threads));
  auto from = static_cast<const uint4 *>(data);
  auto to = static_cast<unsigned *>(out);
  auto on = static_cast<cudaStream_t>(stream);
  switch (vectors) {
  case 1: read_tiles<1><<<blocks, threads, 0, on>>>(from, to); break;
  case 2: read_tiles<2><<<blocks, threads, 0, on>>>(from, to); break;
  case 4: read_tiles<4><<<blocks, threads, 0, on>>>(from, to); break;
  case 8: read_tiles<8><<<blocks, threads, 0, on>>>(from, to); break;
  default: return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

extern "C" int peer_cub(const char *type, const char *kind, void *temp, size_t *bytes, const void *in, void *out,
                        long long rows, long long columns, void *stream) {
  const std::string name = std::string(kind) + " " + type;
  auto on = static_cast<cudaStream_t>(stream);
  if (name == "sum f32") return reduce<float, Plus>(temp, bytes, in, out, rows, columns, 0.0f, on);
  if (name == "sum f64") return reduce<double, Plus>(temp, bytes, in, out, rows, columns, 0.0, on);
  if (name == "sum f16") return reduce<__half, Plus>(temp, bytes, in, out, rows, columns, 0.0f, on);
  if (name == "sum bf16") return reduce<__nv_bfloat16, Plus>(temp, bytes, in, out, rows, columns, 0.0f, on);
  if (name == "sum i32") return reduce<int, Plus>(temp, bytes, in, out, rows, columns, 0, on);
  if (name == "sum i8") return reduce<signed char, Plus>(temp, bytes, in, out, rows, columns, 0, on);
  if (name == "max f32") return reduce<float, Maximum>(temp, bytes, in, out, rows, columns, -INFINITY, on);
  return cudaErrorInvalidValue;
}
