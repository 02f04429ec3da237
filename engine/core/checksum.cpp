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

std::uint32_t word_at(const std::byte* bytes) noexcept {
  std::uint32_t word = 0;
  // The builtin: a freestanding memcpy is a call, four a stripe.
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint32_t round(std::uint32_t accumulator, std::uint32_t word, std::uint32_t first_factor,
                    std::uint32_t second_factor) noexcept {
  return std::rotl(accumulator + word * first_factor, 13) * second_factor;
}

/// A number of which the compiler cannot see that it is constant: for a MIPS it would make sixteen shifts and
/// additions of a multiplication.
std::uint32_t unknown_constant(std::uint32_t value) noexcept {
  asm("" : "+r"(value));  // NOLINT(hicpp-no-assembler): no instruction
  return value;
}

}  // namespace

void Checksum32::add_stripes(std::span<const std::byte> stripes) noexcept {
  std::uint32_t a = accumulators_[0];
  std::uint32_t b = accumulators_[1];
  std::uint32_t c = accumulators_[2];
  std::uint32_t d = accumulators_[3];
  const std::uint32_t first_factor = unknown_constant(prime2);
  const std::uint32_t second_factor = unknown_constant(prime1);
  const std::byte* const end = stripes.data() + stripes.size();
  for (const std::byte* stripe = stripes.data(); stripe != end; stripe += stripe_bytes) {
    a = round(a, word_at(stripe), first_factor, second_factor);
    b = round(b, word_at(stripe + 4), first_factor, second_factor);
    c = round(c, word_at(stripe + 8), first_factor, second_factor);
    d = round(d, word_at(stripe + 12), first_factor, second_factor);
  }
  accumulators_[0] = a;
  accumulators_[1] = b;
  accumulators_[2] = c;
  accumulators_[3] = d;
}

void Checksum32::update(std::span<const std::byte> bytes) noexcept {
  const std::size_t held = total_ % stripe_bytes;
  total_ += static_cast<std::uint32_t>(bytes.size());
  if (held > 0) {
    const std::size_t wanted = stripe_bytes - held;
    const std::size_t count = bytes.size() < wanted ? bytes.size() : wanted;
    std::memcpy(rest_ + held, bytes.data(), count);
    bytes = bytes.subspan(count);
    if (count < wanted) return;
    add_stripes(rest_);
  }
  const std::size_t whole = bytes.size() / stripe_bytes * stripe_bytes;
  add_stripes(bytes.first(whole));
  bytes = bytes.subspan(whole);
  if (!bytes.empty()) std::memcpy(rest_, bytes.data(), bytes.size());
}

std::uint32_t Checksum32::value() const noexcept {
  std::uint32_t hash = prime5;
  if (total_ >= stripe_bytes) {
    hash = std::rotl(accumulators_[0], 1) + std::rotl(accumulators_[1], 7) + std::rotl(accumulators_[2], 12) +
           std::rotl(accumulators_[3], 18);
  }
  hash += total_;
  std::span<const std::byte> rest(rest_, total_ % stripe_bytes);
  for (; rest.size() >= sizeof(std::uint32_t); rest = rest.subspan(sizeof(std::uint32_t))) {
    hash = std::rotl(hash + word_at(rest.data()) * prime3, 17) * prime4;
  }
  for (const std::byte byte : rest) {
    hash = std::rotl(hash + static_cast<std::uint32_t>(byte) * prime5, 11) * prime1;
  }
  hash = (hash ^ (hash >> 15)) * prime2;
  hash = (hash ^ (hash >> 13)) * prime3;
  return hash ^ (hash >> 16);
}

std::uint32_t checksum32(std::span<const std::byte> bytes) noexcept {
  Checksum32 checksum;
  checksum.update(bytes);
  return checksum.value();
}

}  // namespace pspllm
