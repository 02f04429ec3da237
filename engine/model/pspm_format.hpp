// The .pspm file, version 1: one model in one file, as a console wants it.
//
// Goals: the file is read once from front to back; tensors lie in the order of use and in the layout in which
// the kernels stream them, so loading copies bytes and nothing more; everything a console needs is inside
// (shape, tokenizer, chat template, stop ids, RoPE frequencies); every section and every tensor carries a
// checksum; a reader can check every field before it makes a pointer; somebody else can write a reader from
// docs/format.md.
// Non-goals: training state, compression, other byte orders than little-endian, architectures other than
// Llama-style decoders, editing in place.
//
// Layout: PspmHeader | PspmSection[section_count] | sections, each on a 64-byte boundary, in the order of
// PspmSectionKind, without overlap; the bytes between them are 0; the last one ends the file.
#pragma once

#include <cstdint>

namespace pspllm {

inline constexpr std::uint32_t pspm_magic = 0x4D505350;  ///< the bytes "PSPM"
inline constexpr std::uint32_t pspm_version = 1;
inline constexpr std::uint32_t pspm_section_kinds = 7;
/// In front of a tokenizer section's payload.
inline constexpr std::uint32_t pspm_tokenizer_header_bytes = 64;
/// PspmConfig::architecture: a Llama-style decoder with RoPE on interleaved pairs.
inline constexpr std::uint32_t pspm_llama_architecture = 1;

enum class PspmSectionKind : std::uint32_t {
  config = 1,     ///< PspmConfig
  about = 2,      ///< UTF-8 text for people: name, origin, licence; may be absent
  tokenizer = 3,  ///< PspmTokenizerKind as u32, 60 zero bytes, then that kind's own layout
  chat = 4,       ///< chat template and stop ids (engine/text/chat_format.hpp); may be absent
  rope = 5,       ///< fp32 [head_dim / 2] angle a position of each pair, in radians
  tensors = 6,    ///< PspmTensor[n]: the directory
  weights = 7     ///< the tensors themselves, in the directory's order; its checksum is 0: each has its own
};

enum class PspmTokenizerKind : std::uint32_t {
  llama2c = 1,    ///< llama2.c's tokenizer.bin (engine/text/tokenizer.hpp)
  byte_level = 2  ///< byte-level BPE (engine/text/byte_level_format.hpp)
};

[[nodiscard]] const char* name_of(PspmSectionKind kind) noexcept;

struct PspmHeader {
  std::uint32_t magic = pspm_magic;
  std::uint32_t version = pspm_version;
  std::uint64_t file_bytes = 0;
  std::uint32_t section_count = 0;  ///< 1 … pspm_section_kinds
  std::uint32_t checksum = 0;       ///< XXH32 of header and section table, this field taken as 0
  std::uint32_t reserved[10] = {};
};
static_assert(sizeof(PspmHeader) == 64);

struct PspmSection {
  std::uint32_t kind = 0;      ///< PspmSectionKind
  std::uint32_t checksum = 0;  ///< XXH32 of its bytes
  std::uint64_t offset = 0;    ///< from the start of the file; a multiple of 64
  std::uint64_t bytes = 0;
  std::uint32_t reserved[2] = {};
};
static_assert(sizeof(PspmSection) == 32);

/// Fields as in ModelConfig.
struct PspmConfig {
  std::uint32_t architecture = pspm_llama_architecture;
  std::uint32_t dim = 0;
  std::uint32_t hidden_dim = 0;
  std::uint32_t n_layers = 0;
  std::uint32_t n_heads = 0;
  std::uint32_t n_kv_heads = 0;
  std::uint32_t vocab_size = 0;
  std::uint32_t seq_len = 0;
  std::uint32_t tied_classifier = 1;  ///< 0 or 1
  float rope_base = 10000.0F;
  float norm_epsilon = 1e-5F;
  std::uint32_t reserved[5] = {};
};
static_assert(sizeof(PspmConfig) == 64);

/// One tensor, in the order of ordered_tensor() (tensor_order.hpp). Its bytes are what the engine holds in
/// memory: f32 row-major; q80 values, then scales at scales_offset(); codes as CodeLayout says.
struct PspmTensor {
  std::uint32_t role = 0;  ///< TensorRole
  std::uint32_t layer = 0;
  std::uint32_t format = 0;  ///< TensorFormat
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t group_size = 0;  ///< q80: weights a scale; codes: code width; f32: 0
  std::uint64_t offset = 0;      ///< from the start of the weights section: where the tensor before it ends
  std::uint64_t bytes = 0;       ///< a multiple of 64
  std::uint32_t checksum = 0;    ///< XXH32 of its bytes
  std::uint32_t reserved[5] = {};
};
static_assert(sizeof(PspmTensor) == 64);

}  // namespace pspllm
