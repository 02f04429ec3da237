// A model's vocabulary in memory of its own, without the model.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/text/tokenizer.hpp"
#include "host/model/opened_model.hpp"

namespace pspllm::host {

class LoadedTokenizer {
 public:
  /// The one beside the model or inside its file. Throws Failure: damaged, of another model, or of a kind
  /// that is not llama2.c's.
  explicit LoadedTokenizer(const OpenedModel& opened);

  [[nodiscard]] const Tokenizer& tokenizer() const noexcept { return tokenizer_; }

 private:
  std::vector<std::uint32_t> memory_;
  Tokenizer tokenizer_;
};

}  // namespace pspllm::host
