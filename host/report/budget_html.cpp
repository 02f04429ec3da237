// The memory map as a page: one bar to scale for the whole device, a second that magnifies everything behind
// the weights, a table. Drawn by hand as SVG, so that the page needs no script.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/core/html.hpp"
#include "host/core/units.hpp"
#include "host/report/budget.hpp"

namespace pspllm::host {
namespace {

/// A piece's colour, and whether its name is written in dark letters.
struct Colour {
  const char* fill;
  bool is_light;
};

/// By region, in the order of the rows: greys for what is not ours, one hue a kind of region.
constexpr Colour colours[] = {{"#8b929c", false}, {"#5d6673", false}, {"#2f6db5", false}, {"#d9731a", false},
                              {"#f0b25a", true},  {"#8a5fb5", false}, {"#2a9478", false}, {"#76c3a8", true},
                              {"#c44d58", false}, {"#e8a0a8", true},  {"#6f8a35", false}, {"#b8cb70", true},
                              {"#4a8fa8", false}};
constexpr Colour free_colour{"url(#free)", true};

// Geometry in SVG user units.
constexpr double margin = 24;
constexpr double width = 960;
constexpr double inner_width = width - 2 * margin;
constexpr double map_top = 46;
constexpr double bar_height = 64;
constexpr double zoom_top = 206;
constexpr double height = 318;

const Colour& colour_of(std::size_t row) {
  return colours[row % std::size(colours)];
}

/// A stretch of memory [begin, end) drawn over the full inner width.
struct Scale {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] double x(std::uint64_t offset) const {
    return margin + inner_width * static_cast<double>(offset - begin) / static_cast<double>(end - begin);
  }
};

/// One coloured piece with its tooltip, and its name where there is room for it.
std::string piece(const Scale& scale, const BudgetRow& row, const Colour& colour, double top,
                  std::uint64_t whole) {
  const double left = scale.x(row.offset);
  const double piece_width = scale.x(row.offset + row.bytes) - left;
  const double share = 100.0 * static_cast<double>(row.bytes) / static_cast<double>(whole);
  std::string svg = fmt::format(
      "<g><title>{}: {} bytes ({}), {:.2f} % of the partition, at {}. {}</title>"
      "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"/>",
      row.name, grouped(row.bytes), binary_size(row.bytes), share, grouped(row.offset), row.description, left,
      top, piece_width, bar_height, colour.fill);
  constexpr double character_width = 7.4;
  const std::string size = binary_size(row.bytes);
  const double name_width =
      character_width * static_cast<double>(std::max(row.name.size(), size.size())) + 10;
  if (piece_width >= name_width) {
    const char* text_class = colour.is_light ? "on-light" : "on-dark";
    const double middle = left + piece_width / 2;
    svg += fmt::format(
        "<text class=\"{}\" x=\"{:.2f}\" y=\"{}\">{}</text><text class=\"{} small\" x=\"{:.2f}\" "
        "y=\"{}\">{}</text>",
        text_class, middle, top + 29, row.name, text_class, middle, top + 46, size);
  }
  return svg + "</g>\n";
}

std::string frame(double top) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n", margin, top,
                     inner_width, bar_height);
}

/// Marks at round numbers of MiB below a bar.
std::string axis(const Scale& scale, double top) {
  const std::uint64_t length = scale.end - scale.begin;
  std::uint64_t step = mebibyte;
  while (length / step > 12) step *= 2;
  std::string svg;
  for (std::uint64_t offset = 0; offset <= scale.end; offset += step) {
    const double x = scale.x(offset);
    svg += fmt::format(
        "<line class=\"tick\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1}\" y2=\"{2}\"/>"
        "<text class=\"axis\" x=\"{0:.2f}\" y=\"{3}\">{4}{5}</text>\n",
        x, top, top + 6, top + 20, offset / mebibyte, offset == 0 ? " MiB" : "");
  }
  return svg;
}

std::string limit_line(const Scale& scale, const Budget& budget) {
  if (budget.fits()) return {};
  const double x = scale.x(budget.device.partition_bytes);
  return fmt::format(
      "<line class=\"limit\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1}\" y2=\"{2}\"/>"
      "<text class=\"limit-text\" x=\"{0:.2f}\" y=\"{3}\">end of memory</text>\n",
      x, map_top - 10, map_top + bar_height + 4, map_top - 16);
}

/// From the narrow stretch of the upper bar down to the full width of the lower one.
std::string funnel(double left, double right) {
  const double top = map_top + bar_height;
  return fmt::format(
      "<polygon class=\"funnel\" points=\"{0:.2f},{2} {1:.2f},{2} {1:.2f},{3} {4},{5} {6},{5} "
      "{0:.2f},{3}\"/>\n",
      left, right, top, top + 24, width - margin, zoom_top, margin);
}

std::string map_svg(const Budget& budget) {
  const std::uint64_t whole = budget.device.partition_bytes;
  const Scale full{0, std::max(whole, budget.needed_bytes)};
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Memory map "
      "of {} on "
      "the {}\">\n<style>{}</style>\n"
      "<defs><pattern id=\"free\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"8\" height=\"8\" fill=\"#f1f4f8\"/><line x1=\"0\" "
      "y1=\"0\" "
      "x2=\"0\" y2=\"8\" stroke=\"#d5dde6\" stroke-width=\"3\"/></pattern></defs>\n",
      width, height, html_escaped(budget.model), budget.device.title,
      "text{font:13px system-ui,'DejaVu Sans',sans-serif;text-anchor:middle}"
      ".on-dark{fill:#fff;font-weight:600}.on-light{fill:#2b3440;font-weight:600}.small{font-size:11.5px;"
      "font-weight:400}"
      ".axis{font-size:11px;fill:#6b7683}.tick{stroke:#aab4bf}.frame{fill:none;stroke:#39424e;stroke-width:1."
      "2}"
      ".heading{text-anchor:start;font-weight:600;fill:#39424e}.funnel{fill:#39424e;fill-opacity:.08}"
      ".limit{stroke:#b3261e;stroke-width:2.5}.limit-text{fill:#b3261e;font-weight:600}");
  svg +=
      fmt::format("<text class=\"heading\" x=\"{}\" y=\"{}\">The {}'s memory for programs, to scale</text>\n",
                  margin, budget.fits() ? map_top - 14 : 16.0, budget.device.title);

  const auto first_small = std::find_if(budget.rows.begin(), budget.rows.end(), [](const BudgetRow& row) {
    return row.in_plan && row.name != name_of(RegionId::weights);
  });
  const Scale zoom{first_small->offset, budget.needed_bytes};
  svg += funnel(full.x(zoom.begin), full.x(zoom.end));
  for (std::size_t i = 0; i < budget.rows.size(); ++i) {
    svg += piece(full, budget.rows[i], colour_of(i), map_top, whole);
  }
  if (budget.fits()) {
    const BudgetRow left_over{"free", "left over", budget.needed_bytes, budget.difference()};
    svg += piece(full, left_over, free_colour, map_top, whole);
  }
  svg += frame(map_top) + axis(full, map_top + bar_height) + limit_line(full, budget);

  svg += fmt::format(
      "<text class=\"heading\" x=\"{}\" y=\"{}\">Everything behind the weights, magnified: {}</text>\n",
      margin, zoom_top + bar_height + 22, binary_size(zoom.end - zoom.begin));
  for (auto row = first_small; row != budget.rows.end(); ++row) {
    const auto index = static_cast<std::size_t>(row - budget.rows.begin());
    svg += piece(zoom, *row, colour_of(index), zoom_top, whole);
  }
  return svg + frame(zoom_top) + "</svg>\n";
}

std::string table_row(const char* colour, const std::string& name, std::uint64_t offset, std::uint64_t bytes,
                      std::uint64_t whole, const std::string& description) {
  return fmt::format(
      "<tr><td><span class=\"key\" style=\"background:{}\"></span>{}</td><td>{}</td><td>{}</td><td>{:.2f} "
      "%</td>"
      "<td class=\"words\">{}</td></tr>\n",
      colour, name, grouped(offset), grouped(bytes),
      100.0 * static_cast<double>(bytes) / static_cast<double>(whole), description);
}

std::string table_html(const Budget& budget) {
  const std::uint64_t whole = budget.device.partition_bytes;
  std::string html =
      "<table><thead><tr><th>region</th><th>offset</th><th>bytes</th><th>share</th><th class=\"words\">what "
      "it "
      "holds</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < budget.rows.size(); ++i) {
    const BudgetRow& row = budget.rows[i];
    html += table_row(colour_of(i).fill, row.name, row.offset, row.bytes, whole, row.description);
  }
  if (budget.fits()) {
    html += table_row("repeating-linear-gradient(45deg,#d5dde6 0 2px,#f1f4f8 2px 5px)", "free",
                      budget.needed_bytes, budget.difference(), whole, "left over");
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string budget_html(const Budget& budget) {
  const std::string title = html_escaped(budget.model) + " on the " + std::string(budget.device.title);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{0}</title>\n<style>"
      "body{{font:16px/1.5 system-ui,'DejaVu Sans',sans-serif;color:#1f2630;background:#fff;max-width:1000px;"
      "margin:2rem auto;padding:0 1rem}}h1{{font-size:1.5rem;margin:0}}p{{margin:.3rem 0 "
      "1.2rem;color:#4a5561}}"
      ".fits{{color:#1c7a4f;font-weight:600}}.fails{{color:#b3261e;font-weight:600}}svg{{width:100%;height:"
      "auto}}"
      "table{{border-collapse:collapse;width:100%;font-size:.88rem;margin-top:1rem}}th,td{{padding:.3rem "
      ".7rem;"
      "text-align:right;border-bottom:1px solid #e3e8ee;font-variant-numeric:tabular-nums}}th:first-child,"
      "td:first-child,.words{{text-align:left}}.key{{display:inline-block;width:.8em;height:.8em;border-"
      "radius:2px;"
      "margin-right:.5em}}footer{{margin-top:1.2rem;font-size:.8rem;color:#6b7683}}</style></head>\n<body>\n"
      "<h1>{0}</h1>\n<p>{1}, {2} parameters, context {3} tokens. The engine's one block takes {4} bytes and "
      "<span class=\"{5}\">{6}</span>.</p>\n{7}{8}"
      "<footer>Made by pspllm budget from the plan that the engine takes its pointers from.</footer>\n"
      "</body></html>\n",
      title, budget.model_kind, grouped(budget.parameters), budget.context, grouped(budget.block_bytes),
      budget.fits() ? "fits" : "fails", verdict(budget), map_svg(budget), table_html(budget));
}

}  // namespace pspllm::host
