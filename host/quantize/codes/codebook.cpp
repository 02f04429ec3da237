#include "host/quantize/codes/codebook.hpp"

#include <algorithm>
#include <cmath>

#include "host/quantize/codes/random_numbers.hpp"
#include "host/quantize/dense/dense_kernels.hpp"

namespace pspllm::host {
namespace {

/// Groups drawn from a matrix, each as nearest_words() compares it: for every element its weight times its
/// value, then for every element minus its weight.
struct Samples {
  std::uint32_t width = 0;
  std::uint32_t count = 0;
  std::vector<float> targets;  // [count, 2 * width]

  [[nodiscard]] const float* target(std::size_t index) const noexcept {
    return targets.data() + index * 2 * width;
  }
  [[nodiscard]] float* target(std::size_t index) noexcept { return targets.data() + index * 2 * width; }
};

void take_sample(const CodingProblem& problem, const CodeWeights& codes, float largest_scale,
                 std::uint64_t index, float* target) {
  const auto row = static_cast<std::uint32_t>(index / codes.groups());
  const auto group = static_cast<std::uint32_t>(index % codes.groups());
  const std::uint32_t first = group * codes.code_width;
  const float scale = codes.row_scales[row];
  if (scale == 0.0F) return;
  for (std::uint32_t k = 0; k < group_cols(codes, group); ++k) {
    const float relative = scale / largest_scale;
    const float weight = relative * relative * problem.moments.at(first + k, first + k);
    target[k] = weight * (problem.weights.at(row, first + k) / scale);
    target[codes.code_width + k] = -weight;
  }
}

/// Weights are brought to a mean of 1.
void normalise_weights(Samples& samples) {
  double sum = 0.0;
  for (std::size_t i = 0; i < samples.count; ++i) {
    for (std::uint32_t k = 0; k < samples.width; ++k) {
      sum -= static_cast<double>(samples.target(i)[samples.width + k]);
    }
  }
  const double elements = static_cast<double>(samples.count) * samples.width;
  const double factor = sum > 0.0 ? elements / sum : 0.0;
  for (float& value : samples.targets) value = static_cast<float>(static_cast<double>(value) * factor);
}

Samples draw_samples(const CodingProblem& problem, const CodeWeights& codes, std::uint32_t largest_count,
                     RandomNumbers& random) {
  const std::uint64_t all = std::uint64_t{codes.rows} * codes.groups();
  Samples samples;
  const float largest_scale = *std::max_element(codes.row_scales.begin(), codes.row_scales.end());
  samples.width = codes.code_width;
  samples.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, largest_count));
  samples.targets.resize(std::size_t{samples.count} * 2 * samples.width);
  for (std::uint32_t i = 0; i < samples.count; ++i) {
    take_sample(problem, codes, largest_scale, all <= largest_count ? i : random.below(all),
                samples.target(i));
  }
  normalise_weights(samples);
  return samples;
}

void copy_word(const Samples& samples, std::size_t sample, std::size_t word, FloatCodebook& codebook) {
  const float* const target = samples.target(sample);
  for (std::uint32_t k = 0; k < samples.width; ++k) {
    const float weight = -target[samples.width + k];
    codebook[word * samples.width + k] = weight > 0.0F ? target[k] / weight : 0.0F;
  }
}

double distance(const Samples& samples, std::size_t sample, const float* word) {
  const float* const target = samples.target(sample);
  double sum = 0.0;
  for (std::uint32_t k = 0; k < samples.width; ++k) {
    const double weight = -static_cast<double>(target[samples.width + k]);
    if (weight <= 0.0) continue;
    const double difference = static_cast<double>(target[k]) / weight - static_cast<double>(word[k]);
    sum += weight * difference * difference;
  }
  return sum;
}

/// First words far from each other: k-means++ (Arthur, Vassilvitskii 2007) on the first samples.
FloatCodebook spread_words(const Samples& samples, RandomNumbers& random) {
  constexpr std::uint32_t candidates_of_first_words = 4096;
  FloatCodebook codebook(std::size_t{codebook_words} * samples.width);
  const std::uint32_t n = std::min(samples.count, candidates_of_first_words);
  std::vector<double> nearest(n, INFINITY);
  std::size_t chosen = random.below(n);
  for (std::uint32_t word = 0; word < codebook_words; ++word) {
    copy_word(samples, chosen, word, codebook);
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const float* const latest = codebook.data() + std::size_t{word} * samples.width;
      nearest[i] = std::min(nearest[i], distance(samples, i, latest));
      sum += nearest[i];
    }
    double rest = random.unit() * sum;
    chosen = 0;
    while (chosen + 1 < n && rest >= nearest[chosen]) rest -= nearest[chosen++];
  }
  return codebook;
}

std::vector<std::uint8_t> assign(const Samples& samples, const FloatCodebook& codebook,
                                 const Parallel& parallel) {
  // Word k of element j stands at [j][k]; its square's half, which minus the weight meets, behind them.
  std::vector<float> words(std::size_t{2} * samples.width * codebook_words);
  for (std::uint32_t word = 0; word < codebook_words; ++word) {
    for (std::uint32_t k = 0; k < samples.width; ++k) {
      const float entry = codebook[std::size_t{word} * samples.width + k];
      words[std::size_t{k} * codebook_words + word] = entry;
      words[std::size_t{samples.width + k} * codebook_words + word] = 0.5F * entry * entry;
    }
  }
  const std::vector<float> offsets(codebook_words);
  std::vector<std::uint8_t> nearest(samples.count);
  constexpr std::uint32_t samples_per_unit = 2048;
  for_each_unit(parallel, (samples.count + samples_per_unit - 1) / samples_per_unit, [&](std::uint32_t unit) {
    const std::uint32_t first = unit * samples_per_unit;
    best_dense_kernels().nearest_words(
        words.data(), offsets.data(), std::size_t{2} * samples.width, samples.target(first),
        std::min(samples_per_unit, samples.count - first), nearest.data() + first);
  });
  return nearest;
}

void move_words(const Samples& samples, const std::vector<std::uint8_t>& nearest, RandomNumbers& random,
                FloatCodebook& codebook) {
  const std::uint32_t width = samples.width;
  std::vector<double> sums(codebook.size());
  std::vector<double> weights(codebook.size());
  std::vector<std::uint32_t> counts(codebook_words);
  for (std::uint32_t i = 0; i < samples.count; ++i) {
    const std::size_t first = std::size_t{nearest[i]} * width;
    ++counts[nearest[i]];
    for (std::uint32_t k = 0; k < width; ++k) {
      sums[first + k] += static_cast<double>(samples.target(i)[k]);
      weights[first + k] -= static_cast<double>(samples.target(i)[width + k]);
    }
  }
  for (std::size_t i = 0; i < codebook.size(); ++i) {
    if (weights[i] > 0.0) codebook[i] = static_cast<float>(sums[i] / weights[i]);
  }
  for (std::uint32_t word = 0; word < codebook_words; ++word) {
    if (counts[word] == 0) copy_word(samples, random.below(samples.count), word, codebook);
  }
}

}  // namespace

FloatCodebook fit_codebook(const CodingProblem& problem, const CodeWeights& codes,
                           const MatrixOptions& options) {
  RandomNumbers random(options.seed);
  const Samples samples = draw_samples(problem, codes, options.kmeans_samples, random);
  FloatCodebook codebook = spread_words(samples, random);
  for (std::uint32_t round = 0; round < options.kmeans_rounds; ++round) {
    move_words(samples, assign(samples, codebook, problem.parallel), random, codebook);
  }
  return codebook;
}

void round_codebook(const FloatCodebook& codebook, CodeWeights& codes) {
  float largest = 0.0F;
  for (const float entry : codebook) largest = std::max(largest, std::fabs(entry));
  codes.codebook.assign(codebook.size(), 0);
  if (largest == 0.0F) return;
  const auto bound = static_cast<float>(max_codeword(codes.code_width));
  const float unit = largest / bound;
  for (std::size_t i = 0; i < codebook.size(); ++i) {
    const float rounded = std::clamp(std::nearbyint(codebook[i] / unit), -bound, bound);
    codes.codebook[i] = static_cast<std::int8_t>(rounded);
  }
  for (float& scale : codes.row_scales) scale *= unit;
}

}  // namespace pspllm::host
