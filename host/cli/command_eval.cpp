// pspllm eval: how well a model predicts texts, or converses.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/limits.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/json_output.hpp"
#include "host/cli/model_options.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/read_text.hpp"
#include "host/report/conversation/conversation_evaluation.hpp"
#include "host/report/evaluation.hpp"

namespace pspllm::host {
namespace {

struct EvalOptions {
  ModelOptions model;
  std::string reference;
  std::vector<std::string> texts;
  EvaluationOptions evaluation;
  std::string conversation;  ///< file of prompts; empty: texts are predicted
  std::string answers;       ///< file of answers made elsewhere; empty: the model makes them
  std::string judge;
  ConversationOptions answering;
  ComputeOptions compute;
  PlanOptions plan;
  std::string json;
};

/// The default window shrinks to what a short context holds.
std::uint32_t window_of(const EvalOptions& options, const OpenedModel& model, const OpenedModel* reference) {
  constexpr std::uint32_t usual_window = 512;
  std::uint32_t longest = model.file.config.seq_len;
  if (reference != nullptr) longest = std::min(longest, reference->file.config.seq_len);
  if (options.evaluation.context == 0) return std::min(usual_window, longest);
  if (options.evaluation.context < smallest_window) {
    throw Failure(fmt::format("a --context of {} predicts nothing, expected at least {}",
                              options.evaluation.context, smallest_window),
                  ExitCode::wrong_use);
  }
  if (options.evaluation.context <= longest) return options.evaluation.context;
  throw Failure(fmt::format("a --context of {} is more than the {} positions that the model was made for",
                            options.evaluation.context, longest));
}

void eval_texts(const EvalOptions& options) {
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  std::unique_ptr<OpenedModel> opened_reference;
  if (!options.reference.empty()) {
    opened_reference = std::make_unique<OpenedModel>(open_model(options.reference, {}));
  }
  EvaluationOptions evaluation_options = options.evaluation;
  evaluation_options.context = window_of(options, opened, opened_reference.get());
  const PlanOptions plan = evaluation_plan(evaluation_options, options.plan.batch);
  LoadedModel model(std::move(opened), plan, options.compute);
  std::unique_ptr<LoadedModel> reference;
  if (opened_reference) {
    reference = std::make_unique<LoadedModel>(std::move(*opened_reference), plan, options.compute);
  }
  nlohmann::json documents = nlohmann::json::array();
  std::string report;
  bool stopped = false;
  for (std::size_t i = 0; i < options.texts.size() && !stopped; ++i) {
    const std::string& name = options.texts[i];
    const Evaluation evaluation = evaluate(model, reference.get(), read_text(name), name, evaluation_options);
    documents.push_back(evaluation_json(evaluation));
    report += (i == 0 ? "" : "\n") + evaluation_text(evaluation);
    stopped = evaluation.stopped;
  }
  write_report(options.json, options.texts.size() == 1 ? documents.front() : documents, report);
}

/// Made elsewhere, or by the model.
ConversationEvaluation answers_evaluation(const EvalOptions& options, const std::vector<ChatPrompt>& prompts,
                                          LoadedModel* judge) {
  if (!options.answers.empty()) {
    const std::vector<Answer> answers = parse_answers(read_text(options.answers), options.answers, prompts);
    return evaluate_answers(answers, options.answers, judge, prompts, options.answering.system);
  }
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  const PlanOptions plan = answering_plan(window_of(options, opened, nullptr), options.plan.batch);
  LoadedModel model(std::move(opened), plan, options.compute);
  return evaluate_conversation(model, judge, prompts, options.answering);
}

void eval_conversation(const EvalOptions& options) {
  const std::vector<ChatPrompt> prompts =
      parse_chat_prompts(read_text(options.conversation), options.conversation);
  std::unique_ptr<LoadedModel> judge;
  if (!options.judge.empty()) {
    judge = std::make_unique<LoadedModel>(open_model(options.judge, {}), judging_plan(options.plan.batch),
                                          options.compute);
  }
  const ConversationEvaluation evaluation = answers_evaluation(options, prompts, judge.get());
  write_report(options.json, conversation_json(evaluation), conversation_text(evaluation));
}

void eval(const EvalOptions& options) {
  const InterruptScope interrupts;
  if (options.texts.empty() && options.conversation.empty()) {
    throw Failure("nothing to measure: give --text or --conversation", ExitCode::wrong_use);
  }
  if (options.model.model.empty() == options.answers.empty()) {
    throw Failure(options.answers.empty() ? "MODEL is missing; only --answers does without"
                                          : "--answers are made already: leave MODEL out",
                  ExitCode::wrong_use);
  }
  options.conversation.empty() ? eval_texts(options) : eval_conversation(options);
}

void add_text_options(CLI::App& command, EvalOptions& options) {
  constexpr const char* group = "Texts";
  command
      .add_option("--text", options.texts,
                  "text to predict, - for standard input; may be there several times")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--reference", options.reference,
                  "model to compare with, token by token where its vocabulary is the same")
      ->type_name("FILE")
      ->needs("--text")
      ->group(group);
  add_number(command, "--tokens", options.evaluation.max_tokens, {0, std::uint64_t{1} << 40},
             "tokens of each text's beginning; 0: all")
      ->needs("--text")
      ->group(group);
  command
      .add_flag("--all-tokens", options.evaluation.all_tokens,
                "score every token behind a window's first, and the last, short window too")
      ->needs("--text")
      ->group(group);
  command
      .add_flag("--special-tokens", options.evaluation.marked,
                "where the text spells a special token (<|im_start|>), it means it; they spell no bytes")
      ->needs("--text")
      ->group(group);
}

void add_conversation_options(CLI::App& command, EvalOptions& options) {
  constexpr const char* group = "Conversations";
  constexpr double highest_temperature = 1000.0;
  constexpr double highest_penalty = 10.0;
  const auto add_conversation_option = [&](CLI::Option* option) {
    option->group(group);
    if (option->get_name() != "--conversation") option->needs("--conversation");
  };
  const auto add_file = [&](const char* name, std::string& path, const char* description) {
    add_conversation_option(command.add_option(name, path, description)->type_name("FILE"));
  };
  add_file("--conversation", options.conversation,
           "prompts to answer, JSON lines: {\"prompt\": \"...\", \"any_of\": [\"right\", \"words\"]}");
  command.get_option("--conversation")->excludes("--text");
  add_file("--judge", options.judge, "model with a chat template that scores the answers");
  add_file("--answers", options.answers,
           "answers made elsewhere, JSON lines: {\"prompt\": \"...\", \"answer\": \"...\", \"ended\": true}");
  ConversationOptions& answering = options.answering;
  add_conversation_option(command.add_option("--system", answering.system, "system prompt; empty: none")
                              ->type_name("TEXT")
                              ->default_str("the template's own"));
  const auto add = [&](CLI::Option* option) { add_conversation_option(option); };
  add(add_number(command, "--turn-tokens", answering.most_tokens, {1, max_context}, "longest answer"));
  add(add_number(command, "-t,--temperature", answering.sampled.temperature, {0.0, highest_temperature},
                 "of the answers that are not greedy"));
  add(add_number(command, "-p,--top-p", answering.sampled.top_p, {0.0, 1.0},
                 "keep the likeliest tokens that together exceed this; 0 or 1: keep all"));
  add(add_number(command, "--repeat-penalty", answering.sampled.repeat_penalty, {1.0, highest_penalty},
                 "divides the scores of tokens that the answer has already; 1: off"));
  add(add_number(command, "-s,--seed", answering.sampled.seed, {1, std::uint64_t{1} << 62},
                 "of the first prompt's random numbers; the next has the next"));
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  options->evaluation.context = 0;
  constexpr std::uint32_t usual_batch = 96;
  options->plan.batch = usual_batch;
  CLI::App& command =
      *app.add_subcommand("eval", "Measure how well a model predicts texts, or how well it converses");
  command.footer(
      "A text falls into windows that share nothing. Of each whole window the second half is scored, as "
      "llama.cpp's perplexity tool does it. Perplexities compare only between models that split a text into "
      "the same tokens; bits a byte compare always.\n"
      "A conversation's prompts are answered one by one, greedily and once more by chance. The report holds "
      "how well the judge predicts the answers, how many groups of four words repeat, how many answers end "
      "by "
      "themselves, and how many hold a right word; as JSON it holds the answers too.\n"
      "Ctrl-C ends with the figures so far.");
  add_model_options(command, options->model);
  command.get_option("MODEL")->required(false);
  add_text_options(command, *options);
  add_conversation_options(command, *options);
  add_number(
      command, "--context", options->evaluation.context, {0, max_context},
      "tokens of a window, or of a conversation; 0: 512, or the model's context where that is shorter");
  add_compute_options(command, options->compute);
  add_batch_option(command, options->plan);
  add_json_report_option(command, options->json);
  command.callback([options] { eval(*options); });
}

}  // namespace pspllm::host
