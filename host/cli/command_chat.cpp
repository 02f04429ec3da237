// pspllm chat: people and model take turns.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/limits.hpp"
#include "engine/text/conversation_text.hpp"
#include "host/cli/chat_commands.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/model_options.hpp"
#include "host/cli/number_option.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/formats/chat_presets.hpp"
#include "host/generation/answer_text.hpp"
#include "host/generation/chat_conversation.hpp"
#include "host/generation/prompt_text.hpp"
#include "host/generation/story_session.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/console.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/line_reader.hpp"
#include "host/model/loaded_model.hpp"

namespace pspllm::host {
namespace {

struct ChatOptions {
  ModelOptions model;
  ComputeOptions compute;
  PlanOptions plan;
  SamplerOptions sampler;
  std::uint32_t turn_tokens = 200;
  std::string chat_template;  ///< empty: the model's own, or none
  std::optional<std::string> system;
};

/// The template that a conversation goes by, and the bytes it points to where they are not the model's.
struct ChosenTemplate {
  std::vector<std::byte> payload;
  std::optional<ChatTemplate> chat_template;  ///< nothing: a story is told
};

/// The one of the options, else the model's own.
ChosenTemplate choose_template(const ChatOptions& options, const Engine& engine) {
  ChosenTemplate chosen;
  if (options.chat_template == no_template_name) return chosen;
  std::span<const std::byte> payload = engine.chat;
  if (!options.chat_template.empty()) {
    chosen.payload = chat_payload({.preset = require_chat_preset(options.chat_template)}, engine.tokenizer);
    payload = chosen.payload;
  }
  if (payload.empty()) return chosen;
  chosen.chat_template.emplace();
  require(read_chat_template(payload, engine.config.vocab_size, *chosen.chat_template), options.model.model);
  return chosen;
}

class Chat {
 public:
  Chat(LoadedModel& model, const ChatOptions& options)
      : model_(model),
        template_(choose_template(options, model.engine())),
        interactive_(standard_input_is_terminal()) {
    if (!template_.chat_template) {
      if (options.system)
        throw Failure("--system needs a model with a chat template, or --template; this one tells stories");
      conversation_ = std::make_unique<StorySession>(model.engine(), options.sampler, interrupt_hook(),
                                                     options.turn_tokens);
      return;
    }
    auto chat = std::make_unique<ChatConversation>(model.engine(), *template_.chat_template, options.sampler,
                                                   interrupt_hook(), options.turn_tokens);
    chat->set_system(options.system);
    chat_ = chat.get();
    conversation_ = std::move(chat);
  }

  void run() {
    if (interactive_) note(fmt::format("{}: {} /help lists the commands.", model_.model_path(), kind_text()));
    while (const std::optional<std::string> line = read_line()) {
      if (!handle(parse_chat_line(*line))) break;
      if (interrupt_requested()) {
        // A person stops an answer; a program's input has no one who could go on.
        if (!interactive_) break;
        clear_interrupt();
      }
    }
    if (!first_failure_.empty() && !interactive_)
      throw Failure("not every line was answered: " + first_failure_);
  }

 private:
  [[nodiscard]] std::string kind_text() const {
    if (chat_ == nullptr) return "a model without a chat template, so you tell one story together.";
    return fmt::format("a conversation by the template {}.", template_.chat_template->name);
  }

  std::optional<std::string> read_line() {
    if (interactive_) write_standard_output("> ");
    return lines_.next();
  }

  static void note(const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); }

  void fail(const std::string& sentence) {
    note("pspllm: " + sentence);
    if (first_failure_.empty()) first_failure_ = sentence;
  }

  /// False where the chat is over.
  bool handle(const ChatLine& line) {
    try {
      switch (line.command) {
        case ChatCommand::text:
          answer(line.argument);
          break;
        case ChatCommand::reset:
          begin_anew();
          break;
        case ChatCommand::system:
          if (chat_ == nullptr)
            throw Failure("/system needs a model with a chat template; this one tells stories");
          chat_->set_system(line.argument);
          begin_anew();
          break;
        case ChatCommand::save:
          save(line.argument);
          break;
        case ChatCommand::help:
          fmt::print(stderr, "{}", chat_ == nullptr ? story_help : chat_help);
          break;
        case ChatCommand::quit:
          return false;
        case ChatCommand::unknown:
          fail(fmt::format("{} is no command; /help lists them", line.argument));
          break;
      }
    } catch (const Failure& failure) {
      fail(failure.what());
    }
    return true;
  }

  void begin_anew() {
    conversation_->reset();
    transcript_.clear();
    note(chat_ == nullptr ? "A new story begins." : "A new conversation begins.");
  }

  void answer(const std::string& text) {
    require_no_zero_byte(text, "this line");
    const auto start = std::chrono::steady_clock::now();
    AnswerText spoken(model_.engine().tokenizer, write_standard_output);
    const Result<TextEnd> end = conversation_->say(text, spoken);
    require(end.status());
    spoken.finish();
    write_standard_output("\n");
    transcript_ += fmt::format("{}{}{}{}{}", before_words, text, behind_words, spoken.text(), behind_answer);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (interactive_) {
      note(fmt::format("[{} tokens, {} tokens/s, {} of {} of the context used; {}]", spoken.count(),
                       rate(spoken.count() / time.count()), conversation_->used_tokens(),
                       conversation_->context(), name_of(end.value())));
    }
    if (conversation_->is_full()) note("The context is full; /reset begins anew.");
  }

  void save(const std::string& path) {
    if (path.empty()) throw Failure("/save needs the name of a file");
    write_file(path, transcript_);
    note(fmt::format("Saved to {}.", path));
  }

  LoadedModel& model_;
  ChosenTemplate template_;
  std::unique_ptr<Conversation> conversation_;
  ChatConversation* chat_ = nullptr;  ///< the conversation where it goes by a template
  LineReader lines_;
  bool interactive_;
  std::string transcript_;
  std::string first_failure_;
};

void chat(ChatOptions& options) {
  const InterruptScope interrupts;
  resolve_seed(options.sampler);
  // A line can be as long as the context's tokens allow, whatever their length.
  constexpr std::uint32_t longest_line_bytes = 1U << 20;
  options.plan.max_prompt_bytes = longest_line_bytes;
  LoadedModel model(open_model(options.model.model, options.model.tokenizer), options.plan, options.compute);
  Chat(model, options).run();
}

}  // namespace

void add_chat_command(CLI::App& app) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App& command = *app.add_subcommand("chat", "Take turns with a model");
  command.footer("With a chat template:\n" + std::string(chat_help) + "\nWithout:\n" +
                 std::string(story_help));
  add_model_options(command, options->model);
  add_sampler_options(command, options->sampler);
  command
      .add_option("--template", options->chat_template,
                  fmt::format("chat template: {}; {}: tell a story", chat_preset_names(), no_template_name))
      ->type_name("NAME")
      ->default_str("the model's own");
  command.add_option("--system", options->system, "system prompt; empty: none")
      ->type_name("TEXT")
      ->default_str("the template's own");
  add_number(command, "--turn-tokens", options->turn_tokens, {1, max_context}, "longest answer");
  add_number(command, "--context", options->plan.context, {0, max_context},
             "tokens that the whole chat may have; 0: the model's own context");
  add_compute_options(command, options->compute);
  command.callback([options] { chat(*options); });
}

}  // namespace pspllm::host
