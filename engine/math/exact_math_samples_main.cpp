// Checks the exact functions on this processor against the stored hashes, without a test framework, so that
// it can be cross-compiled and run under an emulator. Exit code 0: all agree.
#include <cstdio>

#include "engine/math/exact_math.hpp"
#include "engine/math/exact_math_samples.hpp"
#include "engine/math/exp_in_doubles.hpp"

namespace {

bool agrees(const char* name, std::uint64_t found, std::uint64_t expected) {
  std::printf("%s: %016llx, expected %016llx\n", name, static_cast<unsigned long long>(found),
              static_cast<unsigned long long>(expected));
  return found == expected;
}

}  // namespace

int main() {
  namespace samples = pspllm::samples;
  bool good = agrees("exp", samples::hash_of_samples(pspllm::exact_exp), samples::exp_hash);
  good =
      agrees("exp of many", samples::hash_of_samples_by_vector(pspllm::exact_exp_many), samples::exp_hash) &&
      good;
  good =
      agrees("exp in doubles", samples::hash_of_samples(pspllm::exp_in_doubles), samples::exp_hash) && good;
  good = agrees("sin", samples::hash_of_samples(pspllm::exact_sin), samples::sin_hash) && good;
  good = agrees("cos", samples::hash_of_samples(pspllm::exact_cos), samples::cos_hash) && good;
  good = agrees("pow", samples::hash_of_pow_samples(pspllm::exact_pow), samples::pow_hash) && good;
  return good ? 0 : 1;
}
