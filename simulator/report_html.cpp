// The report as one HTML file without scripts or outside files; pictures are inline SVG.
#include <fmt/format.h>

#include <algorithm>

#include "host/core/html.hpp"
#include "simulator/report.hpp"

namespace pspllm::simulator {

namespace {

// Issue first, then the causes of waiting in the order of Cause.
constexpr std::array<std::string_view, cause_count + 1> colours{"#4c78a8", "#f2cf5b", "#ff9da6", "#b279a2",
                                                                "#e45756", "#eeca3b", "#9d755d", "#f58518",
                                                                "#d67195", "#bab0ac", "#79706e", "#dddddd"};

double share(DoubleWord part, DoubleWord whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view slice_name(std::size_t i) {
  return i == 0 ? "issuing" : cause_names[i - 1];
}

// Cycles of issuing, then of each cause.
std::array<Cycles, cause_count + 1> slices_of(const Statistics& statistics) {
  std::array<Cycles, cause_count + 1> slices{};
  Cycles waiting = 0;
  for (std::size_t i = 0; i < cause_count; ++i) {
    slices[i + 1] = statistics.stalls[i];
    waiting += statistics.stalls[i];
  }
  slices[0] = statistics.cycles - std::min(waiting, statistics.cycles);
  return slices;
}

// One horizontal bar of width `width` whose pieces are the causes.
std::string stacked_bar(const Statistics& statistics, double x, double y, double width, double height) {
  std::string svg;
  double at = x;
  const auto slices = slices_of(statistics);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const double piece = width * share(slices[i], statistics.cycles);
    if (piece <= 0.0) continue;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: {} cycles"
        "</title></rect>",
        at, y, piece, height, colours[i], slice_name(i), slices[i]);
    at += piece;
  }
  return svg;
}

std::string legend() {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < colours.size(); ++i)
    html += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", colours[i], slice_name(i));
  return html + "</p>\n";
}

std::string bars(const std::map<std::string, Statistics>& table, std::size_t most, bool functions) {
  constexpr double label_width = 360;
  constexpr double bar_width = 560;
  constexpr double row_height = 20;
  std::vector<std::pair<std::string, Statistics>> rows(table.begin(), table.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.cycles != b.second.cycles ? a.second.cycles > b.second.cycles : a.first < b.first;
  });
  if (rows.size() > most) rows.resize(most);
  Cycles whole = 0;
  for (const auto& [name, row] : table) whole += row.cycles;
  const Cycles largest = rows.empty() ? 1 : std::max<Cycles>(rows[0].second.cycles, 1);
  std::string svg = fmt::format("<svg viewBox=\"0 0 1000 {0}\" width=\"1000\" height=\"{0}\">",
                                row_height * static_cast<double>(rows.size()) + 4);
  double y = 2;
  for (const auto& [name, row] : rows) {
    svg += fmt::format("<text x=\"{}\" y=\"{:.0f}\" text-anchor=\"end\">{}<title>{}</title></text>",
                       label_width - 8, y + 13,
                       host::html_escaped((functions ? short_function_name(name) : name).substr(0, 52)),
                       host::html_escaped(name));
    const double width = bar_width * share(row.cycles, largest);
    svg += stacked_bar(row, label_width, y + 2, width, row_height - 6);
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{:.1f} %</text>", label_width + width + 6, y + 13,
                       100.0 * share(row.cycles, whole));
    y += row_height;
  }
  return svg + "</svg>\n";
}

std::string phase_section(std::string_view name, const PhaseTotals& phase) {
  constexpr std::size_t most_functions = 25;
  constexpr std::size_t most_parts = 60;
  std::string html = fmt::format(
      "<h2>Where the cycles go: {}</h2>\n<p>{} cycles, {} of them idle; {} instructions; {} bytes "
      "streamed in {} line fills, {} in sequence; {} lines written back.</p>\n",
      name, phase.cycles, phase.idle_cycles, phase.statistics.instructions,
      (phase.memory.data_fills() + phase.memory.instruction_fills) * line_bytes, phase.memory.data_fills(),
      phase.memory.sequential_fills, phase.memory.evictions);
  html += bars({{"everything", phase.statistics}}, 1, false);
  html += "<h3>By function</h3>\n" + bars(phase.functions, most_functions, true);
  if (phase.parts.size() > 1) html += "<h3>By part</h3>\n" + bars(phase.parts, most_parts, false);
  return html;
}

// The user partition, 4 KB a cell.
std::string memory_map(const Machine& machine) {
  constexpr std::size_t columns = 128;
  constexpr double cell = 7;
  const std::vector<Byte>& pages = machine.core.data_cache.touched_pages;
  const std::size_t rows = (pages.size() + columns - 1) / columns;
  const double height = static_cast<double>(rows) * cell;
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\"><rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#f4f4f4\"/>",
      columns * cell, height);
  const auto rectangle = [&](std::size_t from, std::size_t length, std::string_view colour) {
    const std::size_t row = from / columns;
    svg += fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{}\" fill=\"{}\"/>",
                       static_cast<double>(from % columns) * cell, static_cast<double>(row) * cell,
                       static_cast<double>(length) * cell - 1, cell - 1, colour);
  };
  for (std::size_t at = 0; at < pages.size();) {
    std::size_t end = at + 1;
    while (end < pages.size() && end % columns != 0 && pages[end] == pages[at]) ++end;
    if (pages[at] != 0) rectangle(at, end - at, (pages[at] & 2U) != 0 ? "#e45756" : "#4c78a8");
    at = end;
  }
  return svg +
         "</svg>\n<p>Each cell is 4 KB of partition 2, from its start; blue: read, red: changed, grey: never "
         "touched.</p>\n";
}

std::string block_rows(const Machine& machine) {
  const Word whole = machine.memory.user_bytes();
  std::string html = "<table><tr><th>block</th><th>address</th><th>bytes</th><th></th></tr>\n";
  for (const auto& [address, block] : machine.partition.blocks()) {
    const double width = std::max(1.0, 400.0 * share(block.size, whole));
    html += fmt::format(
        "<tr><td>{}</td><td>{:08x}</td><td class=\"n\">{}</td><td><svg width=\"400\" height=\"10\"><rect "
        "width=\"{:.1f}\" height=\"10\" fill=\"#4c78a8\"/></svg></td></tr>\n",
        host::html_escaped(block.name), address, block.size, width);
  }
  return html + "</table>\n";
}

std::string stack_rows(const Machine& machine) {
  std::string html = "<table><tr><th>thread</th><th>stack</th><th>used at the most</th><th></th></tr>\n";
  for (const auto& [uid, thread] : machine.kernel.threads) {
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td><svg width=\"300\" "
        "height=\"10\"><rect "
        "width=\"300\" height=\"10\" fill=\"#eee\"/><rect width=\"{:.1f}\" height=\"10\" fill=\"#f58518\"/>"
        "</svg></td></tr>\n",
        host::html_escaped(thread.name), thread.stack_bytes, stack_used(thread),
        300.0 * share(stack_used(thread), thread.stack_bytes));
  }
  return html + "</table>\n";
}

std::string figure_row(std::string_view name, const std::optional<double>& a,
                       const std::optional<double>& b) {
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : std::string("-");
  };
  return fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", name, cell(a),
                     cell(b));
}

std::string figures_table(const Machine& machine, const Machine* other) {
  const TokenFigures a = token_figures(machine.kernel.markers);
  const TokenFigures b = other != nullptr ? token_figures(other->kernel.markers) : TokenFigures{};
  std::string html = "<table><tr><th>modelled</th><th>these constants</th><th>optimistic</th></tr>\n";
  html += figure_row("prefill, tokens/s", a.prefill_tokens_per_second, b.prefill_tokens_per_second);
  html += figure_row("decode, tokens/s", a.decode_tokens_per_second, b.decode_tokens_per_second);
  html += figure_row("first token, s", a.first_token_seconds, b.first_token_seconds);
  html += figure_row("start, s", a.start_seconds, b.start_seconds);
  html += figure_row("whole run, s", modelled_seconds(machine),
                     other != nullptr ? std::optional(modelled_seconds(*other)) : std::nullopt);
  return html + "</table>\n";
}

std::string hazard_list(const Machine& machine) {
  if (machine.hazards.records().empty()) return "<p>No hazards were seen.</p>\n";
  std::string html = "<ul>\n";
  for (const auto& [key, record] : machine.hazards.records())
    html += fmt::format(
        "<li>{} at {}, {} times (first address {:08x})</li>\n", host::html_escaped(name_of(key.first)),
        host::html_escaped(machine.kernel.module.symbols.describe(key.second)), record.count, record.address);
  return html + "</ul>\n";
}

constexpr std::string_view style =
    "body{font:14px/1.4 sans-serif;margin:2em auto;max-width:1040px;color:#222}svg text{font:12px sans-serif}"
    "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:left;border-bottom:1px solid #ddd}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}.legend span{margin-right:12px;white-space:nowrap}"
    ".legend i{display:inline-block;width:10px;height:10px;margin-right:4px}";

}  // namespace

std::string report_html(const Machine& machine, const Machine* other) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Simulated run</title>"
      "<style>{}</style></head><body>\n<h1>Simulated run on a {}</h1>\n<p>{}</p>\n",
      style, model_of(machine.options.device).name, host::html_escaped(ending_sentence(machine)));
  html += figures_table(machine, other);
  html += fmt::format("<p>{} cycles, {} instructions, {} idle cycles. All figures are modelled.</p>\n",
                      machine.core.cycle, machine.core.instructions, machine.kernel.idle_cycles);
  html += legend();
  for (std::size_t i = 0; i < phase_count; ++i)
    if (const PhaseTotals& phase = machine.profile.phases()[i]; phase.cycles != 0)
      html += phase_section(phase_names[i], phase);
  html += "<h2>Memory touched</h2>\n" + memory_map(machine);
  html +=
      fmt::format("<h2>Memory blocks</h2>\n<p>Least free memory: {} bytes. Largest block: {} bytes.</p>\n",
                  machine.partition.lowest_free(), machine.kernel.largest_block);
  html += block_rows(machine) + "<h2>Stacks</h2>\n" + stack_rows(machine);
  html += "<h2>Hazards</h2>\n" + hazard_list(machine);
  return html + "</body></html>\n";
}

}  // namespace pspllm::simulator
