#include "psp/program/autorun_job.hpp"

#include <array>
#include <optional>

#include "engine/core/slice.hpp"
#include "psp/program/key_value.hpp"
#include "psp/program/text_escape.hpp"

namespace pspllm::psp {
namespace {

constexpr std::int32_t error_bad_autorun = -100;
constexpr std::uint32_t max_linger_seconds = 600;

Status bad_line(const KeyValueLine& line, std::string_view expected) {
  TextBuffer<max_sentence_bytes> sentence;
  sentence.append("autorun.txt, line ").append_unsigned(line.number).append(": ").append(line.key);
  if (line.has_equals) sentence.append("=").append(line.value);
  sentence.append(" is wrong; expected ").append(expected).append('.');
  return failure_sentence(error_bad_autorun, sentence.view());
}

constexpr std::string_view expected_words = "at most 2048 bytes, with \\n and \\\\ as the only escapes";

Status set_prompt(const KeyValueLine& line, AutorunJob& job) {
  std::array<char, max_prompt_bytes> bytes;
  const Escaped prompt = unescape_text(line.value, bytes);
  if (!prompt.complete) return bad_line(line, expected_words);
  job.prompt = Prompt({bytes.data(), prompt.bytes});
  return {};
}

Status add_turn(const KeyValueLine& line, AutorunJob& job) {
  std::array<char, max_prompt_bytes> bytes;
  const Escaped words = unescape_text(line.value, bytes);
  if (!words.complete) return bad_line(line, expected_words);
  if (!job.turns.add({bytes.data(), words.bytes}))
    return bad_line(line, "at most 64 turns of 2048 bytes together");
  return {};
}

Status set_system(const KeyValueLine& line, AutorunJob& job) {
  std::array<char, max_system_prompt_bytes> bytes;
  const Escaped prompt = unescape_text(line.value, bytes);
  if (!prompt.complete) return bad_line(line, "at most 512 bytes, with \\n and \\\\ as the only escapes");
  job.system = SystemPrompt({bytes.data(), prompt.bytes});
  return {};
}

Status set_number(const KeyValueLine& line, std::uint32_t most, std::string_view expected,
                  std::uint32_t& field) {
  const std::optional<std::uint64_t> value = parse_unsigned(line.value, most);
  if (!value) return bad_line(line, expected);
  field = static_cast<std::uint32_t>(*value);
  return {};
}

Status set_decimal(const KeyValueLine& line, float least, float most, std::string_view expected,
                   float& field) {
  const std::optional<float> value = parse_decimal(line.value);
  if (!value || *value < least || *value > most) return bad_line(line, expected);
  field = *value;
  return {};
}

Status set_flag(const KeyValueLine& line, bool& field) {
  std::uint32_t value = 0;
  const Status status = set_number(line, 1, "0 or 1", value);
  field = value != 0;
  return status;
}

Status set_seed(const KeyValueLine& line, AutorunJob& job) {
  const std::optional<std::uint64_t> value = parse_unsigned(line.value, ~std::uint64_t{0});
  if (!value) return bad_line(line, "a whole number of 0 or more");
  job.sampler.seed = *value;
  return {};
}

Status set_model(const KeyValueLine& line, AutorunJob& job) {
  const std::string_view name = trimmed(line.value);
  if (name.size() > max_model_name_bytes) return bad_line(line, "the name of a folder under models");
  job.model = ModelName(name);
  return {};
}

Status apply(const KeyValueLine& line, AutorunJob& job) {
  if (!line.has_equals) return bad_line(line, "key=value");
  if (line.key == "prompt") return set_prompt(line, job);
  if (line.key == "turn") return add_turn(line, job);
  if (line.key == "system") return set_system(line, job);
  if (line.key == "turn_tokens") return set_number(line, max_length_tokens, "0 to 131072", job.turn_tokens);
  if (line.key == "steps") return set_number(line, max_length_tokens, "0 to 131072", job.steps);
  if (line.key == "temperature")
    return set_decimal(line, 0.0F, 100.0F, "0 to 100, such as 0.8", job.sampler.temperature);
  if (line.key == "top_p") return set_decimal(line, 0.0F, 1.0F, "0 to 1, such as 0.9", job.sampler.top_p);
  if (line.key == "repeat_penalty")
    return set_decimal(line, 1.0F, 2.0F, "1 to 2, such as 1.1", job.sampler.repeat_penalty);
  if (line.key == "seed") return set_seed(line, job);
  if (line.key == "reference_output") return set_flag(line, job.reference_output);
  if (line.key == "benchmark") return set_flag(line, job.benchmark);
  if (line.key == "model") return set_model(line, job);
  if (line.key == "context") return set_number(line, max_length_tokens, "0 to 131072", job.context);
  if (line.key == "linger_seconds")
    return set_number(line, max_linger_seconds, "0 to 600", job.linger_seconds);
  if (line.key == "home_after_tokens")
    return set_number(line, max_length_tokens, "0 to 131072", job.home_after_tokens);
  return bad_line(line,
                  "prompt, turn, system, turn_tokens, steps, temperature, top_p, seed, repeat_penalty, "
                  "reference_output, model, context, "
                  "benchmark or linger_seconds");
}

}  // namespace

bool Turns::add(std::string_view words) {
  Prompt all = words_;
  all.append(words);
  if (count_ == max_turns || all.truncated()) return false;
  words_ = all;
  ends_[count_++] = words_.size();
  return true;
}

std::string_view Turns::turn(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return slice(words_.view(), begin, ends_[index] - begin);
}

Status parse_autorun(std::string_view text, AutorunJob& job) {
  job = {};
  KeyValueReader reader(text);
  KeyValueLine line;
  while (reader.next(line)) {
    if (Status status = apply(line, job); !status.ok()) return status;
  }
  return {};
}

}  // namespace pspllm::psp
