// How well a model converses: what a judge thinks of its answers, how much they repeat, whether they end, and
// whether they hold right words.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/model/loaded_model.hpp"
#include "host/report/conversation/answering.hpp"
#include "host/report/conversation/chat_prompts.hpp"
#include "host/report/conversation/repeated_grams.hpp"
#include "host/report/evaluation.hpp"

namespace pspllm::host {

struct JudgedAnswer {
  Answer answer;
  std::optional<bool> is_right;  ///< nothing where the prompt has no right words
  TextScore score;               ///< of no tokens where there is no judge, or the answer is empty
};

/// Answers made one way to the first prompts, all where nobody stopped it, with what they come to.
struct AnswerSet {
  std::string name;  ///< "greedy", "temperature 0.7, ..."; the file of answers made elsewhere
  std::vector<JudgedAnswer> answers;
  TextScore score;
  GramCount grams;
  std::uint64_t ended = 0;
  std::uint64_t checked = 0;  ///< whose prompts have right words
  std::uint64_t right = 0;    ///< of those, the ones that hold one
};

struct ConversationEvaluation {
  std::vector<ChatPrompt> prompts;
  std::string model;  ///< path; empty where the answers were made elsewhere
  std::string judge;  ///< path; empty: none
  std::optional<std::string> system;
  std::uint32_t most_tokens = 0;  ///< of an answer; 0 where they were made elsewhere
  std::vector<AnswerSet> sets;
  double seconds = 0.0;
  bool stopped = false;  ///< by the user; the figures hold what was finished
};

/// Answers are made twice: greedily, and as `sampled` says.
struct ConversationOptions {
  SamplerOptions sampled{0.7F, 0.9F, 1, 1.1F};  ///< prompt i has the seed `seed` + i
  std::uint32_t most_tokens = 200;              ///< of an answer
  std::optional<std::string> system{};          ///< prompt; nothing: each template's own; empty: none
};

/// Memory plans for answering and for judging with `batch` positions a pass; a context of 0: the model's own.
[[nodiscard]] PlanOptions answering_plan(std::uint32_t context, std::uint32_t batch) noexcept;
[[nodiscard]] PlanOptions judging_plan(std::uint32_t batch) noexcept;

/// Lets the model answer the prompts, each in a conversation of its own, by its own template and stop tokens.
/// `judge` may be null, or the model itself. Throws Failure: a model without a template, prompts that do not
/// fit or cannot be spelled.
[[nodiscard]] ConversationEvaluation evaluate_conversation(LoadedModel& model, LoadedModel* judge,
                                                           const std::vector<ChatPrompt>& prompts,
                                                           const ConversationOptions& options);

/// The same for answers made elsewhere, one a prompt; `name` is what people know them by.
[[nodiscard]] ConversationEvaluation evaluate_answers(const std::vector<Answer>& answers,
                                                      const std::string& name, LoadedModel* judge,
                                                      const std::vector<ChatPrompt>& prompts,
                                                      const std::optional<std::string>& system);

[[nodiscard]] std::string conversation_text(const ConversationEvaluation& evaluation);
[[nodiscard]] nlohmann::json conversation_json(const ConversationEvaluation& evaluation);

}  // namespace pspllm::host
