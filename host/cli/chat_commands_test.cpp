#include "host/cli/chat_commands.hpp"

#include <doctest/doctest.h>

namespace pspllm::host {

TEST_CASE("chat lines are told apart") {
  CHECK(parse_chat_line("Once upon a time").command == ChatCommand::text);
  CHECK(parse_chat_line("").command == ChatCommand::text);
  CHECK(parse_chat_line("/reset").command == ChatCommand::reset);
  CHECK(parse_chat_line("/help").command == ChatCommand::help);
  CHECK(parse_chat_line("/quit").command == ChatCommand::quit);
  const ChatLine save = parse_chat_line("/save  my story.txt ");
  CHECK(save.command == ChatCommand::save);
  CHECK(save.argument == "my story.txt");
  const ChatLine system = parse_chat_line("/system Be brief. ");
  CHECK(system.command == ChatCommand::system);
  CHECK(system.argument == "Be brief.");
  CHECK(parse_chat_line("/system").argument.empty());
  const ChatLine unknown = parse_chat_line("/resett now");
  CHECK(unknown.command == ChatCommand::unknown);
  CHECK(unknown.argument == "/resett");
}

TEST_CASE("two slashes begin a text with one") {
  const ChatLine line = parse_chat_line("//home/of the elves");
  CHECK(line.command == ChatCommand::text);
  CHECK(line.argument == "/home/of the elves");
}

}  // namespace pspllm::host
