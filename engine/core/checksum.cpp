#include "engine/core/checksum.hpp"

#include <bit>
#include <cstring>

namespace pspllm {
namespace {

constexpr std::uint32_t prime1 = 0x9E3779B1U;
constexpr std::uint32_t prime2 = 0x85EBCA77U;
constexpr std::uint32_t prime3 = 0xC2B2AE3DU;
constexpr std::uint32_t prime4 = 0x27D4EB2FU;
constexpr std::uint32_t prime5 = 0x165667B1U;
constexpr std::size_t stripe_bytes = 16;

std::uint32_t word_at(const std::byte* bytes) noexcept {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint32_t round(std::uint32_t accumulator, std::uint32_t word) noexcept {
  return std::rotl(accumulator + word * prime2, 13) * prime1;
}

/// The four accumulators over all whole stripes; moves `bytes` behind them.
std::uint32_t hash_stripes(std::span<const std::byte>& bytes) noexcept {
  std::uint32_t accumulators[4] = {prime1 + prime2, prime2, 0, 0U - prime1};
  while (bytes.size() >= stripe_bytes) {
    for (std::size_t i = 0; i < 4; ++i) {
      accumulators[i] = round(accumulators[i], word_at(bytes.data() + i * sizeof(std::uint32_t)));
    }
    bytes = bytes.subspan(stripe_bytes);
  }
  return std::rotl(accumulators[0], 1) + std::rotl(accumulators[1], 7) + std::rotl(accumulators[2], 12) +
         std::rotl(accumulators[3], 18);
}

}  // namespace

std::uint32_t checksum32(std::span<const std::byte> bytes) noexcept {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::uint32_t hash = bytes.size() >= stripe_bytes ? hash_stripes(bytes) : prime5;
  hash += size;
  for (; bytes.size() >= sizeof(std::uint32_t); bytes = bytes.subspan(sizeof(std::uint32_t))) {
    hash = std::rotl(hash + word_at(bytes.data()) * prime3, 17) * prime4;
  }
  for (const std::byte byte : bytes) {
    hash = std::rotl(hash + static_cast<std::uint32_t>(byte) * prime5, 11) * prime1;
  }
  hash = (hash ^ (hash >> 15)) * prime2;
  hash = (hash ^ (hash >> 13)) * prime3;
  return hash ^ (hash >> 16);
}

}  // namespace pspllm
