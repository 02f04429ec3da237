// RMSNorm, SwiGLU, softmax and argmax, with ordinary and with odd numbers.
#include <doctest/doctest.h>

#include <limits>

#include "engine/ops/host/host_kernels.hpp"
#include "engine/ops/host/kernel_test_data.hpp"

namespace pspllm::host {
namespace {

constexpr std::uint32_t lengths[] = {1,  2,  3,  7,   8,   15,  16,  17,  31,
                                     33, 63, 64, 100, 288, 511, 512, 513, 1100};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float odd_numbers[] = {0.0F,   -0.0F,    88.0F,     -88.5F,
                                 100.0F, -104.0F,  -3e38F,    3e38F,
                                 1e-45F, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};

/// Some of the numbers odd, at random places, the first included.
std::vector<float> random_odd_floats(std::size_t count, Random& random) {
  std::vector<float> values = random_floats(count, random, 20.0F);
  for (float& value : values) {
    if (random() % 16 == 0) value = odd_numbers[random() % std::size(odd_numbers)];
  }
  return values;
}

template <typename Check>
void for_each_input(Check check) {
  for (std::uint32_t seed = 1; seed < 30; ++seed) {
    for (const std::uint32_t n : lengths) {
      Random random(seed);
      const std::vector<float> x =
          seed % 2 == 0 ? random_odd_floats(n, random) : random_floats(n, random, 3.0F);
      const std::vector<float> other = random_floats(n, random);
      for (const KernelSet& set : available_kernels()) {
        CAPTURE(set.name);
        CAPTURE(n);
        CAPTURE(seed);
        check(*set.kernels, n, x, other);
      }
    }
  }
}

TEST_CASE("rmsnorm, out of place and in place") {
  for_each_input([](const Kernels& kernels, std::uint32_t n, const std::vector<float>& x,
                    const std::vector<float>& weight) {
    std::vector<float> expected(n);
    std::vector<float> out(n);
    std::vector<float> in_place = x;
    reference_kernels().rmsnorm(expected.data(), x.data(), weight.data(), n, 1e-5F);
    kernels.rmsnorm(out.data(), x.data(), weight.data(), n, 1e-5F);
    kernels.rmsnorm(in_place.data(), in_place.data(), weight.data(), n, 1e-5F);
    CHECK(same_bits(out, expected));
    CHECK(same_bits(in_place, expected));
  });
}

TEST_CASE("swiglu") {
  for_each_input(
      [](const Kernels& kernels, std::uint32_t n, const std::vector<float>& x, const std::vector<float>& up) {
        std::vector<float> expected = x;
        std::vector<float> out = x;
        reference_kernels().swiglu(expected.data(), up.data(), n);
        kernels.swiglu(out.data(), up.data(), n);
        CHECK(same_bits(out, expected));
      });
}

TEST_CASE("softmax") {
  for_each_input(
      [](const Kernels& kernels, std::uint32_t n, const std::vector<float>& x, const std::vector<float>&) {
        std::vector<float> expected = x;
        std::vector<float> out = x;
        reference_kernels().softmax(expected.data(), n);
        kernels.softmax(out.data(), n);
        CHECK(same_bits(out, expected));
      });
}

TEST_CASE("argmax finds the first of equal values") {
  for_each_input(
      [](const Kernels& kernels, std::uint32_t n, const std::vector<float>& x, const std::vector<float>&) {
        CHECK(kernels.argmax(x.data(), n) == reference_kernels().argmax(x.data(), n));
        std::vector<float> coarse = x;
        for (float& value : coarse) value = value > 1.0F ? 2.0F : (value > 0.0F ? 0.0F : -0.0F);
        CHECK(kernels.argmax(coarse.data(), n) == reference_kernels().argmax(coarse.data(), n));
      });
}

TEST_CASE("sets are found by name, the last one is the best") {
  CHECK(find_kernels("reference") == &reference_kernels());
  for (const KernelSet& set : available_kernels()) CHECK(find_kernels(set.name) == set.kernels);
  CHECK(&best_kernels() == available_kernels().back().kernels);
  CHECK(find_kernels("no such set") == nullptr);
}

}  // namespace
}  // namespace pspllm::host
