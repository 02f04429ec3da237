// Loading a PRX at an address, as the console does: to prove that what was packaged is what runs.
#pragma once

#include <string>

#include "psp/package/elf32.hpp"

namespace pspllm::package {

/// The image of `prx` relocated to `base`, without its zero-filled end.
[[nodiscard]] Result<Bytes> load_prx(const ElfFile& prx, std::uint32_t base);

/// Loads `prx` at `base` and compares it, word by word, with `linked`: the same program linked statically at
/// `base`. Empty when they are equal, else one sentence with the first differences.
[[nodiscard]] std::string compare_with_static_link(const ElfFile& prx, const ElfFile& linked,
                                                   std::uint32_t base);

}  // namespace pspllm::package
