#include "python/engine_module/python_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/forward.hpp"
#include "engine/text/text_codec.hpp"
#include "host/core/failure.hpp"
#include "host/generation/prompt_text.hpp"
#include "host/generation/text_writer.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::python {

using host::Failure;

PythonModel::PythonModel(const LoadOptions& options)
    : model_(host::open_model(options.path, options.tokenizer), options.plan, options.compute,
             options.largest_block) {}

void PythonModel::require_claim(std::uint64_t claim) const {
  if (claim == claims_) return;
  throw Failure(
      "another text has begun on this model since, which took over its key/value cache; begin this one "
      "again, or open "
      "the model twice");
}

std::vector<std::int32_t> PythonModel::encode(const std::string& text) {
  host::require_no_zero_byte(text, "the text");
  const auto encoded =
      pspllm::encode(engine().tokenizer, text, TextPlace::beginning, engine().encode_scratch);
  host::require(encoded.status());
  return {encoded.value().begin(), encoded.value().end()};
}

std::string PythonModel::decode(std::span<const std::int32_t> tokens) {
  check_tokens(tokens);
  host::Utf8TextWriter writer;
  std::string text;
  std::int32_t previous = no_token;
  for (const std::int32_t token : tokens) {
    const bool begins = token == bos_of(engine().tokenizer) && previous == no_token;
    if (!begins) text += writer.add(engine().tokenizer, previous, token);
    previous = token;
  }
  return text + writer.finish();
}

void PythonModel::logits(std::span<const std::int32_t> tokens, std::span<float> out) {
  check_tokens(tokens);
  const std::uint32_t context = engine().plan.options.context;
  if (tokens.size() > context) {
    throw Failure(
        fmt::format("{} tokens are more than the context of {}; give fewer, or open the model with more",
                    tokens.size(), context));
  }
  (void)claim();
  const std::size_t rows = std::min(engine().plan.options.logit_rows, engine().plan.options.batch);
  const std::size_t vocabulary = engine().config.vocab_size;
  for (std::size_t done = 0; done < tokens.size(); done += rows) {
    const std::span batch = tokens.subspan(done, std::min(rows, tokens.size() - done));
    host::require(forward(engine(), batch, static_cast<std::uint32_t>(done), LogitsFor::all_tokens,
                          host::interrupt_hook()));
    std::copy_n(engine().logits.begin(), batch.size() * vocabulary, out.subspan(done * vocabulary).begin());
  }
}

void PythonModel::check_tokens(std::span<const std::int32_t> tokens) {
  const std::uint32_t vocabulary = engine().config.vocab_size;
  const auto wrong = std::find_if(tokens.begin(), tokens.end(), [vocabulary](std::int32_t token) {
    return token < 0 || static_cast<std::uint32_t>(token) >= vocabulary;
  });
  if (wrong == tokens.end()) return;
  throw Failure(fmt::format("token {} at index {} is not in the vocabulary, expected 0 to {}", *wrong,
                            wrong - tokens.begin(), vocabulary - 1));
}

}  // namespace pspllm::python
