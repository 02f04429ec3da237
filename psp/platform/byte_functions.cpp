// The C names of byte_functions.hpp. Compiled so that these loops do not become calls of themselves.
#include "psp/platform/byte_functions.hpp"

namespace {

unsigned char* bytes_at(void* address) {
  return static_cast<unsigned char*>(address);
}
const unsigned char* bytes_at(const void* address) {
  return static_cast<const unsigned char*>(address);
}

}  // namespace

extern "C" {

void* memcpy(void* to, const void* from, std::size_t count) {
  pspllm::psp::bytes::copy_forward(bytes_at(to), bytes_at(from), count);
  return to;
}

void* memmove(void* to, const void* from, std::size_t count) {
  pspllm::psp::bytes::move(bytes_at(to), bytes_at(from), count);
  return to;
}

void* memset(void* to, int value, std::size_t count) {
  pspllm::psp::bytes::fill(bytes_at(to), static_cast<unsigned char>(value), count);
  return to;
}

int memcmp(const void* left, const void* right, std::size_t count) {
  return pspllm::psp::bytes::compare(bytes_at(left), bytes_at(right), count);
}

const void* memchr(const void* in, int value, std::size_t count) {
  const unsigned char* byte = bytes_at(in);
  for (; count > 0; --count, ++byte) {
    if (*byte == static_cast<unsigned char>(value)) return byte;
  }
  return nullptr;
}

std::size_t strlen(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

}  // extern "C"
