#include "psp/package/nid.hpp"

#include <openssl/sha.h>

#include <array>

#include "psp/package/bytes.hpp"

namespace pspllm::package {

std::uint32_t function_nid(std::string_view name) {
  std::array<std::uint8_t, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(name.data()), name.size(), digest.data());
  return read_u32(digest, 0);
}

}  // namespace pspllm::package
