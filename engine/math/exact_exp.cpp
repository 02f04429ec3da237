#include <cstddef>

#include "engine/math/exact_math.hpp"
#include "engine/math/exp_in_doubles.hpp"
#include "engine/math/exp_single.hpp"
#include "engine/math/float_bits.hpp"

namespace pspllm {

float exact_exp(float x) noexcept {
  if (exp_single::is_ordinary(x) == 0) [[unlikely]] {
    return exp_in_doubles(x);
  }
  const exp_single::Data& data = exp_single::data_by_address();
  const float steps = x * data.constants.inverse_c;
  const exp_single::Answer answer = exp_single::exp_of(x, steps, data.constants, data.entries.data());
  return answer.certain != 0 ? from_bits(answer.bits) : exp_in_doubles(x);
}

// Two at a time: while one waits for a result, the other works.
void exact_exp_many(const float* in, float* out, std::size_t count) noexcept {
  const exp_single::Data& data = exp_single::data_by_address();
  const exp_single::Constants constants = data.constants;
  const exp_single::Entry* const entries = data.entries.data();
  const float* const pairs_end = in + (count & ~std::size_t{1});
  for (; in != pairs_end; in += 2, out += 2) {
    const float first = in[0];
    const float second = in[1];
    const float first_steps = first * constants.inverse_c;
    const float second_steps = second * constants.inverse_c;
    if ((exp_single::is_ordinary(first) & exp_single::is_ordinary(second)) != 0) [[likely]] {
      const exp_single::Answer first_answer = exp_single::exp_of(first, first_steps, constants, entries);
      const exp_single::Answer second_answer = exp_single::exp_of(second, second_steps, constants, entries);
      if ((first_answer.certain & second_answer.certain) != 0) [[likely]] {
        out[0] = from_bits(first_answer.bits);
        out[1] = from_bits(second_answer.bits);
        continue;
      }
    }
    out[0] = exact_exp(first);
    out[1] = exact_exp(second);
  }
  if ((count & 1U) != 0) {
    out[0] = exact_exp(in[0]);
  }
}

}  // namespace pspllm
