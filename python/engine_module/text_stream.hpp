// A text that is made piece by piece, whenever the next piece is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/generation/text_job.hpp"
#include "host/generation/text_writer.hpp"
#include "python/engine_module/python_model.hpp"

namespace pspllm::python {

/// What `pspllm run` prints for a prompt, in pieces of whole characters: the prompt first.
class TextStream : private host::TextListener {
 public:
  /// steps: positions in all, the prompt's tokens included, at most the context; 0: the whole context. Throws
  /// Failure where the prompt leaves no room.
  TextStream(std::shared_ptr<PythonModel> model, std::vector<std::int32_t> prompt,
             const SamplerOptions& sampler, std::uint32_t steps);

  /// The next piece, never empty, or nothing where the text has ended. Throws Failure, Interrupted.
  [[nodiscard]] std::optional<std::string> next();

  [[nodiscard]] std::uint32_t prompt_tokens() const noexcept {
    return static_cast<std::uint32_t>(prompt_.size());
  }
  [[nodiscard]] std::uint32_t generated_tokens() const noexcept { return generated_tokens_; }
  /// How the text ended, or empty.
  [[nodiscard]] std::string end() const { return end_ ? host::name_of(*end_) : ""; }

  [[nodiscard]] PythonModel& model() noexcept { return *model_; }

 private:
  void token(std::int32_t previous, std::int32_t token) override;
  void prompt_done() override { is_prompt_done_ = true; }
  void advance();

  std::shared_ptr<PythonModel> model_;
  std::vector<std::int32_t> prompt_;
  std::uint32_t steps_;
  std::uint64_t claim_;
  Generator generator_;
  host::Utf8TextWriter writer_;
  std::string ready_;
  std::uint32_t generated_tokens_ = 0;
  bool is_prompt_done_ = false;
  bool begun_ = false;
  std::optional<host::TextEnd> end_;
};

}  // namespace pspllm::python
