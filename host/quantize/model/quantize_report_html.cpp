// The report as a page: SVG drawn by hand, so that it needs no script and no network.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/core/html.hpp"
#include "host/core/units.hpp"
#include "host/quantize/model/quantize_report.hpp"

namespace pspllm::host {
namespace {

constexpr double chart_width = 960.0;
constexpr double margin = 110.0;
constexpr double cell_height = 22.0;

/// White to red over the errors that occur, by magnitude.
std::string colour_of(double error, double smallest, double largest) {
  const double range = std::log(largest / smallest);
  const double share = range > 0.0 ? std::clamp(std::log(error / smallest) / range, 0.0, 1.0) : 0.0;
  const auto fade = [&](double to) { return static_cast<int>(std::lround(255.0 + (to - 255.0) * share)); };
  return fmt::format("rgb({},{},{})", fade(192), fade(57), fade(43));
}

/// Errors of all matrices: a column a layer, a row a matrix.
std::string error_map(const ModelReport& report) {
  double smallest = 1.0;
  double largest = 1e-6;
  for (const TensorReport& tensor : report.tensors) {
    smallest = std::min(smallest, std::max(tensor.error, 1e-6));
    largest = std::max(largest, tensor.error);
  }
  const auto n_layers = static_cast<double>(std::max<std::size_t>(report.recipe.layers.size(), 1));
  const double cell_width = (chart_width - margin) / n_layers;
  const double height = cell_height * (static_cast<double>(layer_matrix_roles.size()) + 1.0);
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", chart_width, height);
  for (std::size_t row = 0; row < layer_matrix_roles.size(); ++row) {
    const double y = static_cast<double>(row) * cell_height;
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", margin - 6.0, y + 16.0,
                       name_of(layer_matrix_roles[row]));
    for (const TensorReport& tensor : report.tensors) {
      if (tensor.role != layer_matrix_roles[row]) continue;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{} of layer {}: "
          "error {:.4f}, held out {:.4f}, {:.2f} bits</title></rect>\n",
          margin + cell_width * tensor.layer, y, cell_width - 1.0, cell_height - 1.0,
          colour_of(std::max(tensor.error, 1e-6), smallest, largest), name_of(tensor.role), tensor.layer,
          tensor.error, tensor.held_out_error, 8.0 / tensor.code_width);
    }
  }
  for (std::size_t layer = 0; layer < report.recipe.layers.size(); layer += 5) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       margin + cell_width * static_cast<double>(layer), height - 6.0, layer);
  }
  return svg + "</svg>\n";
}

std::string curve(const ModelReport& report, double LayerReport::*value, double largest, double height,
                  const char* colour) {
  const auto last = static_cast<double>(std::max<std::size_t>(report.layers.size(), 2) - 1);
  std::string points;
  for (std::size_t layer = 0; layer < report.layers.size(); ++layer) {
    points += fmt::format("{:.1f},{:.1f} ",
                          margin + (chart_width - margin - 10.0) * static_cast<double>(layer) / last,
                          height - 20.0 - (height - 30.0) * report.layers[layer].*value / largest);
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", points,
                     colour);
}

std::string stream_chart(const ModelReport& report) {
  constexpr double height = 220.0;
  double largest = 1e-9;
  for (const LayerReport& layer : report.layers) {
    largest = std::max({largest, layer.stream_error, layer.held_out_stream_error});
  }
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", chart_width, height);
  svg += fmt::format("<text x=\"{}\" y=\"16\" text-anchor=\"end\">{:.3f}</text>\n", margin - 6.0, largest);
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text>\n", margin - 6.0, height - 16.0);
  svg += curve(report, &LayerReport::stream_error, largest, height, "#2f6db5");
  svg += curve(report, &LayerReport::held_out_stream_error, largest, height, "#d9731a");
  return svg + "</svg>\n";
}

struct Part {
  std::string name;
  std::uint64_t bytes = 0;
};

std::vector<Part> parts_of(const ModelReport& report) {
  std::vector<Part> parts;
  for (const TensorReport& tensor : report.tensors) {
    const std::string name = name_of(tensor.role);
    auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
    if (found == parts.end()) found = parts.insert(parts.end(), {name, 0});
    found->bytes += tensor.bytes;
  }
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.bytes;
  if (report.file_bytes > sum) parts.push_back({"all else", report.file_bytes - sum});
  return parts;
}

std::string size_chart(const ModelReport& report) {
  const std::vector<Part> parts = parts_of(report);
  std::uint64_t largest = 1;
  for (const Part& part : parts) largest = std::max(largest, part.bytes);
  const double height = cell_height * static_cast<double>(parts.size());
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", chart_width, height);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double y = static_cast<double>(i) * cell_height;
    const double width =
        (chart_width - margin - 180.0) * static_cast<double>(parts[i].bytes) / static_cast<double>(largest);
    svg += fmt::format(
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text><rect x=\"{}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" "
        "height=\"{}\" fill=\"#2f6db5\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        margin - 6.0, y + 16.0, parts[i].name, margin, y, width, cell_height - 3.0, margin + width + 6.0,
        y + 16.0, binary_size(parts[i].bytes));
  }
  return svg + "</svg>\n";
}

std::string table(const ModelReport& report) {
  std::string html =
      "<table><thead><tr><th>matrix</th><th>layer</th><th>shape</th><th>bits</th><th>bytes</th><th>error</th>"
      "<th>held out</th><th>row scales</th></tr></thead><tbody>\n";
  for (const TensorReport& tensor : report.tensors) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{} x {}</td><td>{:.2f}</td><td>{}</td><td>{:.4f}</td><td>{:.4f}</td>"
        "<td>{:.3g} - {:.3g}</td></tr>\n",
        name_of(tensor.role), tensor.layer, tensor.rows, tensor.cols, 8.0 / tensor.code_width,
        grouped(tensor.bytes), tensor.error, tensor.held_out_error, tensor.smallest_scale,
        tensor.largest_scale);
  }
  return html + "</tbody></table>\n";
}

}  // namespace

std::string report_html(const ModelReport& report) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{0}</title>\n<style>body{{font:15px/1.5 "
      "system-ui,'DejaVu Sans',sans-serif;color:#1f2630;background:#fff;max-width:1000px;margin:2rem "
      "auto;padding:0 1rem}}h1{{font-size:1.4rem}}h2{{font-size:1.05rem;margin:1.6rem 0 "
      ".4rem}}svg{{width:100%;"
      "height:auto}}svg text{{font-size:13px;fill:#1f2630}}pre{{white-space:pre-wrap}}table{{border-collapse:"
      "collapse;width:100%;font-size:.85rem}}th,td{{padding:.2rem .5rem;text-align:right;border-bottom:1px "
      "solid "
      "#e3e8ee;font-variant-numeric:tabular-nums}}th:first-child,td:first-child{{text-align:left}}"
      "</style></head>\n<body>\n<h1>{0}</h1>\n<pre>{1}</pre>\n",
      html_escaped(report.out), html_escaped(report_text(report, false)));
  html += "<h2>Error of each matrix's outputs, by layer (darker: larger)</h2>\n" + error_map(report);
  if (!report.layers.empty()) {
    html +=
        "<h2>Error of the residual stream behind each layer: fitted tokens (blue), held-out tokens "
        "(orange)</h2>\n" +
        stream_chart(report);
  }
  html += "<h2>Size by part</h2>\n" + size_chart(report);
  html += "<h2>Recipe</h2>\n<pre>" + html_escaped(recipe_text(report.recipe)) + "</pre>\n";
  return html + "<h2>Tensors</h2>\n" + table(report) + "</body></html>\n";
}

}  // namespace pspllm::host
