#include "psp/program/settings.hpp"

#include <array>
#include <optional>

#include "engine/core/slice.hpp"
#include "psp/program/key_value.hpp"
#include "psp/program/text_escape.hpp"

namespace pspllm::psp {
namespace {

constexpr std::uint32_t hundred = 100;

std::optional<std::uint32_t> in_range(std::optional<std::uint32_t> value, std::uint32_t least,
                                      std::uint32_t most) {
  if (!value || *value < least || *value > most) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_u32(std::string_view text, std::uint32_t most) {
  const std::optional<std::uint64_t> value = parse_unsigned(text, most);
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<std::uint32_t> parse_clock(std::string_view text) {
  for (std::uint32_t i = 0; i < clock_choice_count; ++i) {
    if (parse_unsigned(text, max_seed) == static_cast<std::uint64_t>(clock_choices[i].cpu)) return i;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> parse_theme(std::string_view text) {
  for (std::uint32_t i = 0; i < color_theme_count; ++i) {
    if (trimmed(text) == name_of(static_cast<ColorTheme>(i))) return i;
  }
  return std::nullopt;
}

bool is_plain_name(std::string_view name) {
  for (const char character : name) {
    if (static_cast<unsigned char>(character) < ' ' || character == '/' || character == '\\') return false;
  }
  return true;
}

bool set_system_prompt(std::string_view escaped, Settings& settings) {
  std::array<char, max_system_prompt_bytes> bytes;
  const Escaped prompt = unescape_text(escaped, bytes);
  if (prompt.complete) settings.system_prompt = SystemPrompt({bytes.data(), prompt.bytes});
  return prompt.complete;
}

bool assign(std::uint32_t& field, std::optional<std::uint32_t> value) {
  if (value) field = *value;
  return value.has_value();
}

/// False where the line was not understood.
bool apply(const KeyValueLine& line, Settings& settings) {
  const std::string_view value = line.value;
  if (line.key == "temperature")
    return assign(settings.temperature_hundredths,
                  in_range(parse_hundredths(value), 0, max_temperature_hundredths));
  if (line.key == "top_p")
    return assign(settings.top_p_hundredths, in_range(parse_hundredths(value), 0, max_top_p_hundredths));
  if (line.key == "repeat_penalty")
    return assign(
        settings.repeat_penalty_hundredths,
        in_range(parse_hundredths(value), min_repeat_penalty_hundredths, max_repeat_penalty_hundredths));
  if (line.key == "seed") return assign(settings.seed, parse_u32(value, max_seed));
  if (line.key == "length") return assign(settings.length, parse_u32(value, max_length_tokens));
  if (line.key == "context") return assign(settings.context, parse_u32(value, max_length_tokens));
  if (line.key == "clock_mhz") return assign(settings.clock_choice, parse_clock(value));
  if (line.key == "colors") {
    const std::optional<std::uint32_t> theme = parse_theme(value);
    if (theme) settings.colors = static_cast<ColorTheme>(*theme);
    return theme.has_value();
  }
  if (line.key == "model") {
    const std::string_view name = trimmed(value);
    if (name.size() > max_model_name_bytes || !is_plain_name(name)) return false;
    settings.model = ModelName(name);
    return true;
  }
  if (line.key == "system_prompt") return set_system_prompt(value, settings);
  return false;
}

float fraction(std::uint32_t hundredths) {
  return static_cast<float>(static_cast<std::int32_t>(hundredths)) / 100.0F;
}

}  // namespace

std::string_view name_of(ColorTheme theme) {
  constexpr std::string_view names[color_theme_count] = {"night", "paper", "green", "amber"};
  return names[static_cast<std::size_t>(theme)];
}

SamplerOptions sampler_options(const Settings& settings, std::uint32_t fresh_seed) {
  SamplerOptions options;
  options.temperature = fraction(settings.temperature_hundredths);
  options.top_p = fraction(settings.top_p_hundredths);
  options.repeat_penalty = fraction(settings.repeat_penalty_hundredths);
  options.seed = settings.seed != 0 ? settings.seed : fresh_seed;
  if (options.seed == 0) options.seed = 1;
  return options;
}

std::optional<std::string_view> system_prompt(const Settings& settings) {
  if (!settings.system_prompt) return std::nullopt;
  return settings.system_prompt->view();
}

SettingsText format_settings(const Settings& settings) {
  SettingsText text;
  text.append("# PspLlm settings. One key=value a line; what is not understood is ignored.\n");
  text.append("temperature=").append_ratio(settings.temperature_hundredths, hundred, 2);
  text.append("\ntop_p=").append_ratio(settings.top_p_hundredths, hundred, 2);
  text.append("\nrepeat_penalty=").append_ratio(settings.repeat_penalty_hundredths, hundred, 2);
  text.append("\nseed=").append_unsigned(settings.seed);
  text.append("\nlength=").append_unsigned(settings.length);
  text.append("\ncontext=").append_unsigned(settings.context);
  text.append("\nclock_mhz=").append_signed(clock_choices[settings.clock_choice].cpu);
  text.append("\ncolors=").append(name_of(settings.colors));
  text.append("\nmodel=").append(settings.model.view()).append('\n');
  if (settings.system_prompt) {
    std::array<char, 2 * max_system_prompt_bytes> bytes;
    const Escaped prompt = escape_text(settings.system_prompt->view(), bytes);
    text.append("system_prompt=").append({bytes.data(), prompt.bytes}).append('\n');
  }
  return text;
}

ParsedSettings parse_settings(std::string_view text) {
  ParsedSettings parsed;
  KeyValueReader reader(text);
  KeyValueLine line;
  while (reader.next(line)) {
    if (!line.has_equals || !apply(line, parsed.settings)) ++parsed.bad_lines;
  }
  return parsed;
}

}  // namespace pspllm::psp
