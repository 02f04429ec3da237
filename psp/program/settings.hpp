// What the person can set, and the file it is kept in (settings.txt, readable and editable by hand).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/model/sampler.hpp"
#include "psp/platform/clock.hpp"
#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {

/// Colour sets of the screen; palette.hpp says what they look like.
enum class ColorTheme : std::uint8_t { night, paper, green, amber };
inline constexpr std::uint32_t color_theme_count = 4;
[[nodiscard]] std::string_view name_of(ColorTheme theme);

/// Processor speeds that can be chosen, in MHz (the bus runs at half of it).
inline constexpr ClockSpeed clock_choices[] = {{222, 111}, {266, 133}, {333, 166}};
inline constexpr std::uint32_t clock_choice_count = 3;

/// Longest model name in bytes (a folder under models/).
inline constexpr std::size_t max_model_name_bytes = 63;
using ModelName = TextBuffer<max_model_name_bytes>;

/// The person's own system prompt for chats, at most so many bytes.
inline constexpr std::size_t max_system_prompt_bytes = 512;
using SystemPrompt = TextBuffer<max_system_prompt_bytes>;

/// Limits of the fields below.
inline constexpr std::uint32_t max_temperature_hundredths = 300;
inline constexpr std::uint32_t max_top_p_hundredths = 100;
inline constexpr std::uint32_t min_repeat_penalty_hundredths = 100;
inline constexpr std::uint32_t max_repeat_penalty_hundredths = 200;
inline constexpr std::uint32_t max_length_tokens = 131072;
inline constexpr std::uint32_t max_seed = 0xffffffffU;

struct Settings {
  std::uint32_t temperature_hundredths = 80;  ///< 0: always the likeliest token.
  std::uint32_t top_p_hundredths = 90;        ///< 100: no cut.
  std::uint32_t seed = 0;                     ///< 0: another story each time.
  std::uint32_t length = 0;                   ///< Tokens to generate in one go; 0: until the context is full.
  std::uint32_t context = 0;       ///< Tokens the model can look back on; 0: as many as it has and fit.
  std::uint32_t clock_choice = 2;  ///< Index into clock_choices.
  std::uint32_t repeat_penalty_hundredths = 100;  ///< 100: off.
  ColorTheme colors = ColorTheme::night;
  ModelName model;                            ///< Last one used; empty: the one beside the program.
  std::optional<SystemPrompt> system_prompt;  ///< Nothing: the model's own; empty: chats have none.
};

/// The system prompt as a conversation takes it; points into `settings`.
[[nodiscard]] std::optional<std::string_view> system_prompt(const Settings& settings);

/// Sampler options for these settings; `seed` is used where the setting asks for another story each time.
[[nodiscard]] SamplerOptions sampler_options(const Settings& settings, std::uint32_t fresh_seed);

/// Room for settings.txt as format_settings() writes it.
inline constexpr std::size_t max_settings_bytes = 1024 + 2 * max_system_prompt_bytes;
using SettingsText = TextBuffer<max_settings_bytes>;

[[nodiscard]] SettingsText format_settings(const Settings& settings);

struct ParsedSettings {
  Settings settings;
  std::uint32_t bad_lines = 0;  ///< Lines that were not understood; the field then keeps its default.
};

/// Reads any bytes at all: unknown keys, values out of range and rubbish are counted and skipped.
[[nodiscard]] ParsedSettings parse_settings(std::string_view text);

}  // namespace pspllm::psp
