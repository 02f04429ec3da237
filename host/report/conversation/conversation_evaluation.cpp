#include "host/report/conversation/conversation_evaluation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <utility>

#include "host/generation/own_chat_template.hpp"
#include "host/io/progress_bar.hpp"
#include "host/report/conversation/judging.hpp"
#include "host/report/conversation/right_words.hpp"

namespace pspllm::host {
namespace {

/// As long as a line of `pspllm chat`.
constexpr std::uint32_t longest_words = 1U << 20;

std::string name_of(const SamplerOptions& sampler) {
  std::string name = "greedy";
  if (sampler.temperature != 0.0F)
    name = fmt::format("temperature {:g}, top-p {:g}, seed {}", sampler.temperature, sampler.top_p,
                       sampler.seed);
  if (sampler.repeat_penalty != 1.0F) name += fmt::format(", repeat penalty {:g}", sampler.repeat_penalty);
  return name;
}

void add(AnswerSet& set, JudgedAnswer judged) {
  set.score.add(judged.score);
  add_grams(judged.answer.text, set.grams);
  if (judged.answer.ended) ++set.ended;
  if (judged.is_right) ++set.checked;
  if (judged.is_right.value_or(false)) ++set.right;
  set.answers.push_back(std::move(judged));
}

/// Asks for answers and judges them, one after the other.
class Examination {
 public:
  using Source = std::function<std::optional<Answer>(std::size_t prompt)>;

  Examination(LoadedModel* judge, const std::optional<std::string>& system,
              const std::vector<ChatPrompt>& prompts, std::size_t sets)
      : judge_(judge), total_(sets * prompts.size()), start_(std::chrono::steady_clock::now()) {
    evaluation_.prompts = prompts;
    evaluation_.system = system;
    if (judge == nullptr) return;
    evaluation_.judge = judge->model_path();
    template_ = require_own_chat_template(*judge);
  }

  /// Adds a set; a source that gives nothing, or a stop by the user, ends it early.
  void run(const std::string& name, const Source& source) {
    if (evaluation_.stopped) return;
    AnswerSet& set = evaluation_.sets.emplace_back();
    set.name = name;
    set.score.model = evaluation_.judge;
    for (std::size_t prompt = 0; prompt < evaluation_.prompts.size(); ++prompt) {
      bar_.update(done_++, total_);
      std::optional<Answer> given = source(prompt);
      evaluation_.stopped = !given || !judge(set, evaluation_.prompts[prompt], std::move(*given));
      if (evaluation_.stopped) return;
    }
  }

  [[nodiscard]] ConversationEvaluation finish() {
    evaluation_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return std::move(evaluation_);
  }

 private:
  /// False where the user stopped it.
  bool judge(AnswerSet& set, const ChatPrompt& prompt, Answer given) {
    JudgedAnswer judged;
    if (judge_ != nullptr) {
      std::optional<TextScore> score =
          judge_answer(*judge_, template_, evaluation_.system, prompt.words, given.text);
      if (!score) return false;
      judged.score = std::move(*score);
    }
    if (!prompt.right_words.empty()) judged.is_right = holds_a_word(given.text, prompt.right_words);
    judged.answer = std::move(given);
    add(set, std::move(judged));
    return true;
  }

  LoadedModel* judge_;
  ChatTemplate template_;
  ConversationEvaluation evaluation_;
  std::size_t done_ = 0;
  std::size_t total_;
  std::chrono::steady_clock::time_point start_;
  ProgressBar bar_{"conversing", BarUnit::time_left};
};

}  // namespace

PlanOptions answering_plan(std::uint32_t context, std::uint32_t batch) noexcept {
  PlanOptions plan;
  plan.context = context;
  plan.batch = batch;
  plan.max_prompt_bytes = longest_words;
  return plan;
}

PlanOptions judging_plan(std::uint32_t batch) noexcept {
  PlanOptions plan = answering_plan(0, batch);
  plan.logit_rows = batch;
  plan.rolling = Choice::no;
  return plan;
}

ConversationEvaluation evaluate_conversation(LoadedModel& model, LoadedModel* judge,
                                             const std::vector<ChatPrompt>& prompts,
                                             const ConversationOptions& options) {
  const ChatTemplate chat_template = require_own_chat_template(model);
  const SamplerOptions greedy{0.0F, 0.0F, 1, 1.0F};
  const std::vector<SamplerOptions> ways{greedy, options.sampled};
  Examination examination(judge, options.system, prompts, ways.size());
  for (const SamplerOptions& way : ways) {
    examination.run(name_of(way), [&](std::size_t prompt) {
      SamplerOptions sampler = way;
      sampler.seed += prompt;
      return answer(model, chat_template, prompts[prompt].words,
                    {sampler, options.most_tokens, options.system});
    });
  }
  ConversationEvaluation evaluation = examination.finish();
  evaluation.model = model.model_path();
  evaluation.most_tokens = options.most_tokens;
  return evaluation;
}

ConversationEvaluation evaluate_answers(const std::vector<Answer>& answers, const std::string& name,
                                        LoadedModel* judge, const std::vector<ChatPrompt>& prompts,
                                        const std::optional<std::string>& system) {
  Examination examination(judge, system, prompts, 1);
  examination.run(name, [&](std::size_t prompt) { return std::optional<Answer>(answers[prompt]); });
  return examination.finish();
}

}  // namespace pspllm::host
