// What a person can type in a chat besides text.
#pragma once

#include <string>
#include <string_view>

namespace pspllm::host {

enum class ChatCommand { text, reset, system, save, help, quit, unknown };

/// A line of chat, told apart: text for the model, or a command with what stands behind it.
struct ChatLine {
  ChatCommand command = ChatCommand::text;
  std::string argument;  ///< the text; the prompt of /system; the file of /save; the word that is unknown
};

[[nodiscard]] ChatLine parse_chat_line(std::string_view line);

/// The list that /help prints, for models with a chat template and for those that tell stories.
inline constexpr std::string_view chat_help =
    "Write what you want to say; the model answers.\n"
    "  /reset        begin a new conversation\n"
    "  /system TEXT  begin one with this system prompt; without TEXT, with none\n"
    "  /save FILE    write the conversation so far to a file\n"
    "  /help         this list\n"
    "  /quit         leave (so does the end of the input)\n"
    "Ctrl-C stops an answer. A line that begins with two slashes is text with one.\n";
inline constexpr std::string_view story_help =
    "Write how the story begins or goes on; an empty line lets the model go on alone.\n"
    "  /reset      begin a new story\n"
    "  /save FILE  write the story so far to a file\n"
    "  /help       this list\n"
    "  /quit       leave (so does the end of the input)\n"
    "Ctrl-C stops an answer. A line that begins with two slashes is text with one.\n";

}  // namespace pspllm::host
