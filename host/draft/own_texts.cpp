#include "host/draft/own_texts.hpp"

#include <algorithm>

#include "engine/model/generator.hpp"
#include "host/core/failure.hpp"
#include "host/generation/text_job.hpp"
#include "host/io/interrupt.hpp"

namespace pspllm::host {
namespace {

struct TokenCollector : TextListener {
  TokenText& tokens;
  explicit TokenCollector(TokenText& out) noexcept : tokens(out) {}
  void token(std::int32_t previous, std::int32_t token) override {
    // What begins a text is not told of by itself.
    if (tokens.empty() && previous != no_token) tokens.push_back(previous);
    tokens.push_back(token);
  }
};

}  // namespace

std::vector<TokenText> tell_own_texts(LoadedModel& model, const std::vector<TokenText>& documents,
                                      std::uint32_t count, std::uint32_t length,
                                      const ReportProgress& report_progress) {
  constexpr std::size_t shortest_opening = 4;
  constexpr std::size_t opening_lengths = 21;
  Generator generator = make_generator(model.engine(), {.temperature = 0.0F}, interrupt_hook());
  std::vector<TokenText> texts;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TokenText& document = documents[i % documents.size()];
    const std::size_t wanted = shortest_opening + i % opening_lengths;
    const auto opening = std::span(document).first(std::min<std::size_t>({document.size(), wanted, length}));
    TokenText text;
    TokenCollector collector(text);
    reset(generator);
    require(generate_text(generator, {opening, length, true}, collector).status());
    texts.push_back(std::move(text));
    report_progress(i + 1, count);
  }
  return texts;
}

}  // namespace pspllm::host
