// Benchmark of reductions inside one block: kernels compiled by `tx`, and the same loops with the
// reductions of CUB and of TIRx, the tile language of TVM. This file contains the algorithms of
// TIRx, written in CUDA from their description.
//
// For each element type and each reduction kind, bench-tile.py compiles the kernels of this file
// with the macros ELEMENT, TYPE, KIND and KIND_NAME. Without the macros, the file is the main
// program. bench-tile.py writes rows.inc, the list of shapes.

#include <cstdio>
#include <string>
#include <vector>

// Kernel that `tx` did not compile, with its row in the table and the name of its implementation.
struct Entry {
  std::string row, way;
  const void *kernel;
};

inline std::vector<Entry> &registry() {
  static std::vector<Entry> entries;
  return entries;
}

#ifdef ELEMENT

#include <cfloat>
#include <climits>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda_fp16.h>
#include <type_traits>

#define SUM 0
#define MAX 1
#define ARGMAX 2

namespace {

using Element = ELEMENT;
constexpr unsigned kAllLanes = 0xffffffffu;

// Values of CUB reductions

#if KIND == ARGMAX
using Value = cub::KeyValuePair<int, Element>;
using Combine = cub::ArgMax;
__device__ Value make(Element x, int index) { return {index, x}; }
__device__ Element element(Value v) { return v.value; }
__device__ int index(Value v) { return v.key; }
#else
// Sums of f16 use f32 accumulators, as in `tx`.
using Value = std::conditional_t<KIND == SUM && std::is_same_v<Element, __half>, float, Element>;
using Combine = std::conditional_t<KIND == SUM, cuda::std::plus<>, cuda::maximum<>>;
__device__ Value make(Element x, int) { return static_cast<Value>(x); }
__device__ Element element(Value v) { return static_cast<Element>(v); }
__device__ int index(Value) { return 0; }
#endif

// For one warp, a warp barrier replaces the block barrier.
template <int Threads> __device__ void sync() {
  if constexpr (Threads == 32)
    __syncwarp();
  else
    __syncthreads();
}

// Algorithms of TIRx, in the element type

#if KIND != ARGMAX
[[maybe_unused]] __device__ float lowest(float) { return -FLT_MAX; }
[[maybe_unused]] __device__ int lowest(int) { return INT_MIN; }
[[maybe_unused]] __device__ __half lowest(__half) { return __half(-65504.0f); }
[[maybe_unused]] __device__ float greater(float a, float b) { return fmaxf(a, b); }
[[maybe_unused]] __device__ int greater(int a, int b) { return max(a, b); }
[[maybe_unused]] __device__ __half greater(__half a, __half b) { return a > b ? a : b; }

__device__ Element identity() { return KIND == SUM ? Element(0) : lowest(Element()); }
__device__ Element combine(Element a, Element b) { return KIND == SUM ? Element(a + b) : greater(a, b); }

// Butterfly reduction, beginning with the largest distance. Every lane receives the result.
template <int Width> __device__ Element tirx_warp(Element v) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2)
    v = combine(v, __shfl_xor_sync(kAllLanes, v, distance));
  return v;
}

// Each warp reduces its values, the first warp reduces the results of the warps, and all threads
// read the result. There is no barrier before the first write, so consecutive calls must use
// different `scratch` arrays.
template <int Warps> __device__ Element tirx_block(Element v, Element *scratch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = tirx_warp<32>(v);
  if (lane == 0)
    scratch[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < Warps ? scratch[lane] : identity();
    v = tirx_warp<Warps>(v);
    if (lane == 0)
      scratch[0] = v;
  }
  __syncthreads();
  return scratch[0];
}

__host__ __device__ constexpr int tirx_group(int length, int threads) {
  int group = 1;
  while (group < length && group < 32 && group < threads)
    group *= 2;
  return group;
}
#endif

// Reductions of one value per thread

// The input of each reduction depends on the previous result through one comparison and one
// selection, in all implementations. If only thread 0 receives the result, only the input of thread
// 0 depends on the result, because `y` equals `x` in the other threads.
template <class Way, int Threads>
__global__ void __launch_bounds__(Threads)
    one(const Element *, const Element *a, const Element *b, Element *V, int *I, long n) {
  const int t = threadIdx.x;
  const Element x = a[t], y = Way::kEverywhere || t == 0 ? b[t] : a[t];
  Element v = x, r = x;
  int sum = 0;
  // LLVM does not unroll this loop in the kernels of `tx`. The benchmark measures one reduction per
  // round.
#pragma unroll 1
  for (long i = 0; i < n; ++i) {
    int j = 0;
    Way::template reduce<Threads>(v, i, r, j);
    sum += j;
    v = r > Element(0) ? x : y;
  }
  V[t] = r;
  I[t] = sum;
}

template <bool Everywhere> struct OneCub {
  static constexpr bool kEverywhere = Everywhere;
  template <int Threads> static __device__ void reduce(Element v, long, Element &r, int &j) {
    Value result = make(v, threadIdx.x);
    if constexpr (Threads == 32) {
      using Reduce = cub::WarpReduce<Value>;
      __shared__ typename Reduce::TempStorage temp;
      result = Reduce(temp).Reduce(result, Combine());
      if constexpr (Everywhere)
        result = cub::ShuffleIndex<32>(result, 0, kAllLanes);
    } else {
      using Reduce = cub::BlockReduce<Value, Threads>;
      __shared__ typename Reduce::TempStorage temp;
      result = Reduce(temp).Reduce(result, Combine());
      if constexpr (Everywhere) {
        __shared__ cub::Uninitialized<Value> everybody;
        if (threadIdx.x == 0)
          everybody.Alias() = result;
        // This barrier also precedes the next use of `temp`. The next write of `everybody` follows
        // a barrier inside the CUB reduction.
        __syncthreads();
        result = everybody.Alias();
      } else {
        __syncthreads(); // The next round uses `temp`.
      }
    }
    r = element(result);
    j = index(result);
  }
};

#if KIND != ARGMAX
struct OneTirx {
  static constexpr bool kEverywhere = true;
  template <int Threads> static __device__ void reduce(Element v, long i, Element &r, int &) {
    if constexpr (Threads == 32) {
      r = tirx_warp<32>(v);
    } else {
      // The use of two arrays in alternate rounds costs less time than a third barrier per round.
      __shared__ Element scratch[2][32];
      r = tirx_block<Threads / 32>(v, scratch[i % 2]);
    }
  }
};
#endif

// Reductions of tiles in shared memory

// Tile of shape Outer x Length x Inner, of which the dimension Length is reduced. Any tile whose
// reduced dimensions are adjacent can be collapsed to such a shape.
template <int Outer, int Length, int Inner> struct Shape {
  static constexpr int kElements = Outer * Length * Inner, kResults = Outer * Inner, kLength = Length;
  static __device__ int at(int result, int r) {
    return (result / Inner * Length + r) * Inner + result % Inner;
  }
};

// After each round, each thread reads a result that another thread computes, and overwrites an
// element that another thread reads. Consecutive rounds therefore cannot overlap. Every
// implementation needs two barriers per round: one before the threads read results, and one before
// the threads read the elements of the next round.
template <class Way, class S, int Threads>
__global__ void __launch_bounds__(Threads)
    tile(const Element *from, const Element *a, const Element *b, Element *V, int *I, long n) {
  static_assert(S::kElements >= Threads && S::kResults <= Threads);
  __shared__ __align__(16) Element A[S::kElements];
  __shared__ __align__(16) Element B[S::kResults];
  __shared__ int J[KIND == ARGMAX ? S::kResults : 1];
  const int t = threadIdx.x, mirror = Threads - 1 - t;
  for (int e = t; e < S::kElements; e += Threads)
    A[e] = from[e];
  sync<Threads>();
  const Element x = a[t], y = b[t];
  Element r = x;
  int sum = 0;
  // LLVM does not unroll this loop in the kernels of `tx`. The benchmark measures one reduction per
  // round.
#pragma unroll 1
  for (long i = 0; i < n; ++i) {
    Way::template reduce<S, Threads>(A, B, J); // The reduction ends with a barrier.
    r = B[mirror % S::kResults];
    if constexpr (KIND == ARGMAX)
      sum += J[mirror % S::kResults];
    A[mirror] = r > Element(0) ? x : y;
    sync<Threads>();
  }
  V[t] = r;
  I[t] = sum;
}

__device__ void put(Element *B, int *J, int result, Value v) {
  B[result] = element(v);
  if constexpr (KIND == ARGMAX)
    J[result] = index(v);
}

template <class S, int Threads> __device__ Value fold(const Element *A, int result, int first) {
  Value v = make(A[S::at(result, first)], first);
#pragma unroll
  for (int r = first + Threads; r < S::kLength; r += Threads)
    v = Combine()(v, make(A[S::at(result, r)], r));
  return v;
}

struct TileCubWarp {
  template <class S, int Threads> static __device__ void reduce(const Element *A, Element *B, int *J) {
    constexpr int kWidth = S::kLength < 32 ? S::kLength : 32, kGroups = Threads / kWidth;
    using Reduce = cub::WarpReduce<Value, kWidth>;
    __shared__ typename Reduce::TempStorage temp[kGroups];
    const int group = threadIdx.x / kWidth, lane = threadIdx.x % kWidth;
    for (int result = group; result < S::kResults; result += kGroups) {
      const Value v = Reduce(temp[group]).Reduce(fold<S, kWidth>(A, result, lane), Combine());
      if (lane == 0)
        put(B, J, result, v);
    }
    sync<Threads>();
  }
};

struct TileCubBlock {
  template <class S, int Threads> static __device__ void reduce(const Element *A, Element *B, int *J) {
    using Reduce = cub::BlockReduce<Value, Threads>;
    __shared__ typename Reduce::TempStorage temp;
    for (int result = 0; result < S::kResults; ++result) {
      const Value v = Reduce(temp).Reduce(fold<S, Threads>(A, result, threadIdx.x), Combine());
      if (threadIdx.x == 0)
        put(B, J, result, v);
      __syncthreads();
    }
  }
};

struct TileThread {
  template <class S, int Threads> static __device__ void reduce(const Element *A, Element *B, int *J) {
    for (int result = threadIdx.x; result < S::kResults; result += Threads)
      put(B, J, result, fold<S, 1>(A, result, 0));
    sync<Threads>();
  }
};

#if KIND != ARGMAX
struct TileTirx {
  template <class S, int Threads> static __device__ void reduce(const Element *A, Element *B, int *) {
    constexpr int kGroup = tirx_group(S::kLength, Threads), kGroups = Threads / kGroup;
    const int group = threadIdx.x / kGroup, lane = threadIdx.x % kGroup;
    for (int step = 0; step < (S::kResults + kGroups - 1) / kGroups; ++step) {
      const int result = step * kGroups + group;
      if (result < S::kResults) {
        Element v = identity();
        for (int i = 0; i < (S::kLength + kGroup - 1) / kGroup; ++i) {
          const int r = i * kGroup + lane;
          if (r < S::kLength)
            v = combine(v, A[S::at(result, r)]);
        }
#pragma unroll
        for (int distance = 1; distance < kGroup; distance *= 2)
          v = combine(v, __shfl_xor_sync(__activemask(), v, distance, kGroup));
        if (lane == 0)
          B[result] = v;
      }
    }
    sync<Threads>();
  }
};
#endif

// List of kernels

void add(const std::string &row, const char *way, const void *kernel) {
  registry().push_back({row + "-" TYPE "-" KIND_NAME, way, kernel});
}

template <int Threads> void add_one(const char *row) {
  add(row, "cub-all", reinterpret_cast<const void *>(one<OneCub<true>, Threads>));
  add(row, "cub-first", reinterpret_cast<const void *>(one<OneCub<false>, Threads>));
#if KIND != ARGMAX
  add(row, "tirx", reinterpret_cast<const void *>(one<OneTirx, Threads>));
#endif
}

template <int Outer, int Length, int Inner, int Threads> void add_tile(const char *row) {
  using S = Shape<Outer, Length, Inner>;
  // The list excludes inefficient kernels. A block does not reduce a row that is shorter than the
  // block, warps do not reduce tiles for which most warps would be idle, and single threads do not
  // reduce tiles with few results in the same bank.
  constexpr bool kBlock = Threads > 32 && Length >= Threads;
  if constexpr (kBlock)
    add(row, "cub-block", reinterpret_cast<const void *>(tile<TileCubBlock, S, Threads>));
  if constexpr (!kBlock || S::kResults * 32 >= Threads)
    add(row, "cub-warp", reinterpret_cast<const void *>(tile<TileCubWarp, S, Threads>));
  if constexpr (Inner > 1 || S::kResults >= Threads)
    add(row, "thread", reinterpret_cast<const void *>(tile<TileThread, S, Threads>));
#if KIND != ARGMAX
  add(row, "tirx", reinterpret_cast<const void *>(tile<TileTirx, S, Threads>));
#endif
}

struct Everything {
  Everything() {
#define ONE(row, threads) add_one<threads>(row);
#define TILE(row, outer, length, inner, threads) add_tile<outer, length, inner, threads>(row);
#include "rows.inc"
  }
} everything;

} // namespace

#else // the program

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cub/version.cuh>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <sstream>

namespace {

// Exit status after a device fault. After such a fault, the process can no longer use the device.
constexpr int kFault = 3;

[[noreturn]] void fault(const char *what, const char *why) {
  std::printf("fault\t%s: %s\n", what, why);
  std::fflush(stdout);
  // The program does not call `exit`, because `exit` could wait for the device.
  std::_Exit(kFault);
}

void check(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    fault(what, cudaGetErrorString(status));
}

// CUDA driver. The program loads the driver library at run time, as the CUDA runtime does, because
// the linker may not find the library.
struct Driver {
  decltype(&::cuGetErrorString) errorString;
  decltype(&::cuModuleLoadData) moduleLoadData;
  decltype(&::cuModuleGetFunction) moduleGetFunction;
  decltype(&::cuFuncSetAttribute) funcSetAttribute;
  decltype(&::cuLaunchKernel) launchKernel;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy;

  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
      fault("libcuda.so.1", dlerror());
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      if (!function)
        fault("libcuda.so.1 lacks", name);
    };
    find(errorString, "cuGetErrorString");
    find(moduleLoadData, "cuModuleLoadData");
    find(moduleGetFunction, "cuModuleGetFunction");
    find(funcSetAttribute, "cuFuncSetAttribute");
    find(launchKernel, "cuLaunchKernel");
    find(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  }

  const char *text(CUresult status) const {
    const char *text = nullptr;
    errorString(status, &text);
    return text ? text : "unknown error";
  }

  void check(CUresult status, const char *what) const {
    if (status != CUDA_SUCCESS)
      fault(what, text(status));
  }
};

// Line of the list of rows.
struct Row {
  std::string name;
  long elements, threads, bytes; // bytes: size of an element
  long few, many;                // Numbers of rounds; their time difference is measured.
  std::vector<std::string> skip; // implementations that are known to fail
};

struct Buffers {
  void *A, *a, *b, *V, *I;
};

// Inputs and expected outputs of the kernels of a row. `first` is for kernels in which only thread
// 0 receives results.
struct Data {
  std::vector<char> A, a, b;
  struct Expected {
    std::vector<char> V, I;
  } few, many, first_few, first_many;
};

struct Way {
  std::string name;
  CUfunction function;
  bool descriptors; // whether a memref argument is MLIR's descriptor
  int resident = 1; // resident blocks per SM
  std::vector<double> latency{}, throughput{};
};

std::vector<char> read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Data load(const std::string &folder, const Row &row) {
  const std::vector<char> bytes = read(folder + "/" + row.name + ".bin");
  size_t at = 0;
  auto take = [&](long count, long size) {
    const size_t begin = at;
    at += count * size;
    if (at > bytes.size()) {
      std::fprintf(stderr, "bench: %s.bin is too short\n", row.name.c_str());
      std::exit(2);
    }
    return std::vector<char>(bytes.begin() + begin, bytes.begin() + at);
  };
  Data data;
  data.A = take(row.elements, row.bytes);
  data.a = take(row.threads, row.bytes);
  data.b = take(row.threads, row.bytes);
  for (Data::Expected *e : {&data.few, &data.many, &data.first_few, &data.first_many}) {
    e->V = take(row.threads, row.bytes);
    e->I = take(row.threads, 4);
  }
  return data;
}

// Measures the clock cycles of `n` dependent steps on an SM.
__global__ void spin(long n, float factor, long long *cycles, float *sink) {
  float x = factor;
  const long long begin = clock64();
  for (long i = 0; i < n; ++i)
    x = fmaf(x, factor, 1.0f);
  asm volatile("" : "+f"(x)); // All steps end before the clock is read.
  const long long end = clock64();
  *sink = x;
  *cycles = end - begin;
}

class Bench {
public:
  explicit Bench(std::string folder) : folder(std::move(folder)) {
    check(cudaSetDevice(0), "cudaSetDevice");
    check(cudaFree(nullptr), "a context");
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "attribute");
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaMalloc(&cycles, sizeof(long long)), "memory");
    check(cudaMalloc(&sink, sizeof(float)), "memory");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "properties");
    int driver_version = 0;
    check(cudaDriverGetVersion(&driver_version), "version");
    std::printf("device\t%s\t%d\t%d\t%d.%d.%d\n", properties.name, multiprocessors, driver_version,
                CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    // Leaves the idle clock frequency.
    for (int i = 0; i < 100; ++i)
      megahertz();
  }

  void run(const Row &row) {
    const Data data = load(folder, row);
    Buffers buffers{};
    auto upload = [&](void *&to, const std::vector<char> &from) {
      check(cudaMalloc(&to, from.size()), "memory");
      check(cudaMemcpy(to, from.data(), from.size(), cudaMemcpyHostToDevice), "copy");
    };
    upload(buffers.A, data.A);
    upload(buffers.a, data.a);
    upload(buffers.b, data.b);
    upload(buffers.V, data.few.V);
    upload(buffers.I, data.few.I);

    std::vector<Way> ways;
    for (Way &way : find(row)) {
      say("begin", row, way);
      const char *trouble = wrong(row, way, data, buffers);
      std::printf("result\t%s\t%s\t%s\n", row.name.c_str(), way.name.c_str(), trouble ? trouble : "ok");
      if (!trouble)
        ways.push_back(way);
    }
    time(row, ways, buffers);
    for (void *buffer : {buffers.A, buffers.a, buffers.b, buffers.V, buffers.I})
      check(cudaFree(buffer), "memory");
  }

private:
  void say(const char *what, const Row &row, const Way &way) {
    std::printf("%s\t%s\t%s\n", what, row.name.c_str(), way.name.c_str());
    std::fflush(stdout);
  }

  std::vector<Way> find(const Row &row) {
    std::vector<Way> ways;
    auto skipped = [&](const std::string &way) {
      return std::find(row.skip.begin(), row.skip.end(), way) != row.skip.end();
    };
    std::vector<char> ptx = read(folder + "/" + row.name + ".ptx");
    if (!ptx.empty() && !skipped("tx")) {
      ptx.push_back('\0');
      Way way{"tx", nullptr, true};
      say("begin", row, way);
      CUmodule module = nullptr;
      CUresult status = driver.moduleLoadData(&module, ptx.data());
      if (status == CUDA_SUCCESS)
        status = driver.moduleGetFunction(&way.function, module, "bench");
      if (status == CUDA_SUCCESS)
        ways.push_back(way);
      else
        std::printf("result\t%s\ttx\tcannot be loaded: %s\n", row.name.c_str(), driver.text(status));
    }
    for (const Entry &entry : registry()) {
      if (entry.row != row.name || skipped(entry.way))
        continue;
      Way way{entry.way, nullptr, false};
      say("begin", row, way);
      cudaFunction_t function = nullptr;
      check(cudaGetFuncBySymbol(&function, entry.kernel), "cudaGetFuncBySymbol");
      way.function = function;
      ways.push_back(way);
    }
    for (Way &way : ways) {
      say("begin", row, way);
      // With this shared-memory preference, the number of resident blocks is equal to the occupancy
      // that the code below computes.
      driver.check(driver.funcSetAttribute(way.function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100),
                   "shared memory");
      driver.check(driver.occupancy(&way.resident, way.function, static_cast<int>(row.threads), 0), "occupancy");
      way.resident = std::max(way.resident, 1);
    }
    return ways;
  }

  void launch(const Row &row, const Way &way, Buffers &buffers, long blocks, long rounds) {
    int64_t zero = 0, unit = 1, elements = row.elements, threads = row.threads, n = rounds;
    std::vector<void *> arguments;
    auto memref = [&](void *&pointer, int64_t &size) {
      arguments.push_back(&pointer);
      if (way.descriptors)
        // The descriptor of a memref has allocated and aligned pointer, offset, size and stride.
        arguments.insert(arguments.end(), {&pointer, &zero, &size, &unit});
    };
    memref(buffers.A, elements);
    memref(buffers.a, threads);
    memref(buffers.b, threads);
    memref(buffers.V, threads);
    memref(buffers.I, threads);
    arguments.push_back(&n);
    driver.check(driver.launchKernel(way.function, static_cast<unsigned>(blocks), 1, 1,
                                     static_cast<unsigned>(row.threads), 1, 1, 0, nullptr, arguments.data(),
                                     nullptr),
                 "launch");
  }

  // Returns a description of a wrong result, or null. All numbers are small integers, so sums are
  // exact in any order, and results are compared bit by bit.
  const char *wrong(const Row &row, const Way &way, const Data &data, Buffers &buffers) {
    const bool first = way.name == "cub-first";
    const struct {
      long blocks, rounds;
      const Data::Expected &expected;
      const char *text;
    } tries[] = {
        {1, row.few, first ? data.first_few : data.few, "WRONG after few rounds"},
        {1, row.many, first ? data.first_many : data.many, "WRONG after many rounds"},
        {long(way.resident) * multiprocessors, row.few, first ? data.first_few : data.few,
         "WRONG with many blocks"},
    };
    for (const auto &attempt : tries) {
      std::vector<char> V(data.few.V.size()), I(data.few.I.size());
      check(cudaMemset(buffers.V, 0xcd, V.size()), "memset");
      check(cudaMemset(buffers.I, 0xcd, I.size()), "memset");
      launch(row, way, buffers, attempt.blocks, attempt.rounds);
      check(cudaDeviceSynchronize(), "run");
      check(cudaMemcpy(V.data(), buffers.V, V.size(), cudaMemcpyDeviceToHost), "copy");
      check(cudaMemcpy(I.data(), buffers.I, I.size(), cudaMemcpyDeviceToHost), "copy");
      if (std::memcmp(V.data(), attempt.expected.V.data(), first ? row.bytes : V.size()) != 0 ||
          std::memcmp(I.data(), attempt.expected.I.data(), first ? 4 : I.size()) != 0)
        return attempt.text;
    }
    return nullptr;
  }

  // The implementations run alternately, so a drift of the clock frequency affects all
  // implementations equally.
  void time(const Row &row, std::vector<Way> &ways, Buffers &buffers) {
    constexpr int kLatencyRepeats = 15, kThroughputRepeats = 7;
    for (const bool full : {false, true}) {
      const int repeats = full ? kThroughputRepeats : kLatencyRepeats;
      const double before = megahertz();
      for (int repeat = -1; repeat < repeats; ++repeat)
        for (Way &way : ways) {
          if (repeat < 0)
            say("begin", row, way);
          const long blocks = full ? long(way.resident) * multiprocessors : 1;
          const double many = microseconds([&] { launch(row, way, buffers, blocks, row.many); });
          const double few = microseconds([&] { launch(row, way, buffers, blocks, row.few); });
          // The first measurement is a warm-up.
          if (repeat >= 0)
            (full ? way.throughput : way.latency)
                .push_back((many - few) / double(row.many - row.few) / (full ? way.resident : 1));
        }
      const double clock = (before + megahertz()) / 2;
      std::printf("clock\t%s\t%.1f\n", row.name.c_str(), clock);
      for (Way &way : ways) {
        std::vector<double> &times = full ? way.throughput : way.latency;
        std::sort(times.begin(), times.end());
        auto at = [&](double share) { return times[std::size_t(share * (times.size() - 1) + 0.5)] * clock; };
        std::printf("%s\t%s\t%s\t%.3f\t%.3f\t%.3f\t%d\n", full ? "throughput" : "latency", row.name.c_str(),
                    way.name.c_str(), at(0.5), at(0.1), at(0.9), way.resident);
      }
    }
    std::printf("done\t%s\n", row.name.c_str());
    std::fflush(stdout);
  }

  template <class Launch> double microseconds(Launch &&launch) {
    check(cudaEventRecord(begin), "event");
    launch();
    check(cudaEventRecord(end), "event");
    check(cudaEventSynchronize(end), "run");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "event");
    return 1e3 * milliseconds;
  }

  // Returns the current clock frequency: the cycles that a kernel counts, divided by the time
  // between two events.
  double megahertz() {
    double time[2];
    long long count[2];
    const long rounds[2] = {20'000, 820'000};
    for (int i : {0, 1}) {
      time[i] = microseconds([&] { spin<<<1, 1>>>(rounds[i], 0.5f, cycles, sink); });
      check(cudaGetLastError(), "launch");
      check(cudaMemcpy(&count[i], cycles, sizeof count[i], cudaMemcpyDeviceToHost), "copy");
    }
    return double(count[1] - count[0]) / (time[1] - time[0]);
  }

  std::string folder;
  Driver driver;
  int multiprocessors = 0;
  cudaEvent_t begin, end;
  long long *cycles = nullptr;
  float *sink = nullptr;
};

} // namespace

// Runs `bench FOLDER ROWS` with a list of rows, and the folder of their kernels and data.
int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench FOLDER ROWS\n");
    return 2;
  }
  std::vector<Row> rows;
  std::ifstream list(argv[2]);
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    Row row;
    if (!(words >> row.name >> row.elements >> row.threads >> row.bytes >> row.few >> row.many))
      continue;
    for (std::string way; words >> way;)
      row.skip.push_back(way);
    rows.push_back(row);
  }
  Bench bench(argv[1]);
  for (const Row &row : rows)
    bench.run(row);
  std::printf("end\n");
  return 0;
}

#endif
