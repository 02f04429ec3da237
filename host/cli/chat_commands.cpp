#include "host/cli/chat_commands.hpp"

namespace pspllm::host {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace

ChatLine parse_chat_line(std::string_view line) {
  if (line.starts_with("//")) return {ChatCommand::text, std::string(line.substr(1))};
  if (!line.starts_with('/')) return {ChatCommand::text, std::string(line)};
  const std::size_t blank = line.find_first_of(" \t");
  const std::string_view word = line.substr(0, blank);
  const std::string argument(blank == std::string_view::npos ? std::string_view()
                                                             : trimmed(line.substr(blank)));
  if (word == "/reset") return {ChatCommand::reset, argument};
  if (word == "/system") return {ChatCommand::system, argument};
  if (word == "/save") return {ChatCommand::save, argument};
  if (word == "/help") return {ChatCommand::help, argument};
  if (word == "/quit" || word == "/exit") return {ChatCommand::quit, argument};
  return {ChatCommand::unknown, std::string(word)};
}

}  // namespace pspllm::host
