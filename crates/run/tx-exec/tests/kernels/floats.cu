// Prints a digest of what a GPU computes for each float instruction that `tests/simt/floats.rs` checks, for the inputs
// that it makes: nvcc -arch=sm_90 floats.cu && ./a.out
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

using Word = unsigned long long;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = Word;

#define KERNEL(NAME, T, C, INSTRUCTION, LAST)                                                     \
  __global__ void NAME(const Word *a, const Word *b, const Word *c, Word *out, int count) {       \
    int i = threadIdx.x + blockIdx.x * blockDim.x;                                                \
    if (i >= count) return;                                                                       \
    T x = (T)a[i], y = (T)b[i], z = (T)c[i], r;                                                   \
    asm volatile(INSTRUCTION " %0, %1, %2" LAST ";" : "=" C(r) : C(x), C(y), C(z));               \
    out[i] = r;                                                                                   \
  }
KERNEL(max_f16, u16, "h", "max.f16", "")
KERNEL(min_f16, u16, "h", "min.f16", "")
KERNEL(maxn_f16, u16, "h", "max.NaN.f16", "")
KERNEL(minn_f16, u16, "h", "min.NaN.f16", "")
KERNEL(max_bf16, u16, "h", "max.bf16", "")
KERNEL(min_bf16, u16, "h", "min.bf16", "")
KERNEL(maxn_bf16, u16, "h", "max.NaN.bf16", "")
KERNEL(minn_bf16, u16, "h", "min.NaN.bf16", "")
KERNEL(max_f32, u32, "r", "max.f32", "")
KERNEL(min_f32, u32, "r", "min.f32", "")
KERNEL(maxn_f32, u32, "r", "max.NaN.f32", "")
KERNEL(minn_f32, u32, "r", "min.NaN.f32", "")
KERNEL(max_f64, u64, "l", "max.f64", "")
KERNEL(min_f64, u64, "l", "min.f64", "")
KERNEL(add_f16, u16, "h", "add.rn.f16", "")
KERNEL(mul_f16, u16, "h", "mul.rn.f16", "")
KERNEL(fma_f16, u16, "h", "fma.rn.f16", ", %3")
KERNEL(add_bf16, u16, "h", "add.rn.bf16", "")
KERNEL(mul_bf16, u16, "h", "mul.rn.bf16", "")
KERNEL(fma_bf16, u16, "h", "fma.rn.bf16", ", %3")

struct Case {
  const char *name;
  void (*kernel)(const Word *, const Word *, const Word *, Word *, int);
  int bits, exponent;
};
#define CASE(NAME, BITS, EXPONENT) {#NAME, NAME, BITS, EXPONENT}
static const Case CASES[] = {
    CASE(max_f16, 16, 5),  CASE(min_f16, 16, 5),  CASE(maxn_f16, 16, 5),  CASE(minn_f16, 16, 5),
    CASE(max_bf16, 16, 8), CASE(min_bf16, 16, 8), CASE(maxn_bf16, 16, 8), CASE(minn_bf16, 16, 8),
    CASE(max_f32, 32, 8),  CASE(min_f32, 32, 8),  CASE(maxn_f32, 32, 8),  CASE(minn_f32, 32, 8),
    CASE(max_f64, 64, 11), CASE(min_f64, 64, 11), CASE(add_f16, 16, 5),   CASE(mul_f16, 16, 5),
    CASE(fma_f16, 16, 5),  CASE(add_bf16, 16, 8), CASE(mul_bf16, 16, 8),  CASE(fma_bf16, 16, 8)};

int main() {
  for (const Case &test : CASES) {
    // The same inputs as `inputs` in floats.rs.
    const int mantissa = test.bits - 1 - test.exponent;
    const Word unit = Word(1) << mantissa, sign = Word(1) << (test.bits - 1);
    const Word infinity = ((Word(1) << test.exponent) - 1) << mantissa;
    const Word one = ((Word(1) << (test.exponent - 1)) - 1) << mantissa;
    const Word magnitudes[] = {0, 1, 2, unit - 1, unit, unit + 1, one, one | 1, one + unit, infinity - 1, infinity,
                               infinity | 1, infinity | unit / 2, infinity | unit / 2 | 3, infinity | (unit - 1)};
    std::vector<Word> special, a, b, c;
    for (Word magnitude : magnitudes) {
      special.push_back(magnitude);
      special.push_back(magnitude | sign);
    }
    auto add = [&](Word x, Word y, Word z) { a.push_back(x), b.push_back(y), c.push_back(z); };
    for (Word x : special)
      for (Word y : special) add(x, y, 0);
    const bool fused = !strncmp(test.name, "fma", 3);
    const bool rounds = fused || !strncmp(test.name, "add", 3) || !strncmp(test.name, "mul", 3);
    Word state = 12345;
    auto random = [&] {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      return (state >> 33) & (sign * 2 - 1);
    };
    for (int i = 0; rounds && i < (fused ? 60000 : 20000); i++) {
      const Word x = random(), y = random(), z = random();
      add(x, y, z);
    }
    // Products on a tie, and what is added decides.
    for (Word i = 0; fused && i < 256; i++)
      for (Word j = 0; j < 30; j++) add(one | (i & (unit - 1)), one | 1 | (i * 7 & (unit - 1)), special[j]);

    const int count = a.size();
    Word *device[4];
    for (Word *&memory : device) cudaMalloc(&memory, count * sizeof(Word));
    cudaMemcpy(device[0], a.data(), count * sizeof(Word), cudaMemcpyHostToDevice);
    cudaMemcpy(device[1], b.data(), count * sizeof(Word), cudaMemcpyHostToDevice);
    cudaMemcpy(device[2], c.data(), count * sizeof(Word), cudaMemcpyHostToDevice);
    test.kernel<<<(count + 255) / 256, 256>>>(device[0], device[1], device[2], device[3], count);
    std::vector<Word> out(count);
    const cudaError_t error = cudaMemcpy(out.data(), device[3], count * sizeof(Word), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return fprintf(stderr, "%s: %s\n", test.name, cudaGetErrorString(error)), 1;
    Word digest = 0xcbf29ce484222325;
    for (Word result : out)
      for (int byte = 0; byte < test.bits / 8; byte++) digest = (digest ^ (result >> 8 * byte & 255)) * 0x100000001b3;
    printf("%s %d %#llx\n", test.name, count, digest);
  }
}
