#include "host/quantize/model/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/model/code_layout.hpp"
#include "host/core/failure.hpp"

namespace pspllm::host {
namespace {

using Json = nlohmann::ordered_json;

std::size_t index_of(const std::string& name, const std::string& path) {
  for (std::size_t i = 0; i < layer_matrix_roles.size(); ++i) {
    if (name == name_of(layer_matrix_roles[i])) return i;
  }
  std::string names;
  for (const TensorRole role : layer_matrix_roles) names += fmt::format(" {}", name_of(role));
  throw Failure(fmt::format("{}: there is no matrix \"{}\"; expected one of:{}", path, name, names));
}

std::uint32_t parse_width(const Json& value, const std::string& name, const std::string& path) {
  const bool whole = value.is_number_unsigned();
  if (whole && value.get<std::uint64_t>() >= 1 && value.get<std::uint64_t>() <= max_code_width) {
    return value.get<std::uint32_t>();
  }
  throw Failure(fmt::format("{}: {} is {}, expected a code width: 1 to {} weights a byte", path, name,
                            value.dump(), max_code_width));
}

void require_object(const Json& value, const std::string& name, const std::string& path) {
  if (value.is_object()) return;
  throw Failure(
      fmt::format("{}: {} is {}, expected an object of names and code widths", path, name, value.dump()));
}

std::uint32_t parse_layer(const std::string& name, std::size_t n_layers, const std::string& path) {
  const bool digits = !name.empty() && name.size() <= 4 &&
                      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  const unsigned long layer = digits ? std::stoul(name) : n_layers;
  if (layer < n_layers) return static_cast<std::uint32_t>(layer);
  throw Failure(fmt::format("{}: there is no layer \"{}\"; expected 0 to {}", path, name, n_layers - 1));
}

void parse_widths(const Json& object, const std::string& name, const std::string& path, LayerWidths& widths) {
  require_object(object, name, path);
  for (const auto& [matrix, width] : object.items()) {
    widths[index_of(matrix, path)] = parse_width(width, name + "." + matrix, path);
  }
}

/// The width that most layers use for each matrix.
LayerWidths common_widths(const Recipe& recipe) {
  LayerWidths common{};
  for (std::size_t i = 0; i < common.size(); ++i) {
    std::array<std::uint32_t, max_code_width + 1> counts{};
    for (const LayerWidths& widths : recipe.layers) ++counts[widths[i]];
    common[i] = static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }
  return common;
}

std::uint64_t code_matrix_bytes(MatrixShape shape, std::uint32_t width) {
  return CodeLayout{shape.rows, shape.cols, width}.bytes();
}

}  // namespace

MatrixShape shape_of(TensorRole role, const ModelConfig& config) noexcept {
  switch (role) {
    case TensorRole::key:
    case TensorRole::value:
      return {config.kv_dim(), config.dim};
    case TensorRole::gate:
    case TensorRole::up:
      return {config.hidden_dim, config.dim};
    case TensorRole::down:
      return {config.dim, config.hidden_dim};
    default:
      return {config.dim, config.dim};
  }
}

Recipe default_recipe(const ModelConfig& config) {
  Recipe recipe = even_recipe(config, 6, 2);
  for (LayerWidths& widths : recipe.layers) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (layer_matrix_roles[i] == TensorRole::value) widths[i] = 4;
    }
  }
  return recipe;
}

Recipe even_recipe(const ModelConfig& config, std::uint32_t width, std::uint32_t embedding) {
  Recipe recipe{embedding, embedding, {}};
  LayerWidths widths{};
  widths.fill(width);
  recipe.layers.assign(config.n_layers, widths);
  return recipe;
}

Recipe parse_recipe(const std::string& text, const std::string& path, const ModelConfig& config) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw Failure(fmt::format("{}: not a recipe: expected a JSON object", path));
  Recipe recipe = default_recipe(config);
  if (json.contains("matrices")) {
    for (LayerWidths& widths : recipe.layers) parse_widths(json["matrices"], "matrices", path, widths);
  }
  for (const auto& [name, value] : json.items()) {
    if (name == "embedding") {
      recipe.embedding = parse_width(value, name, path);
    } else if (name == "classifier") {
      recipe.classifier = parse_width(value, name, path);
    } else if (name == "layers") {
      require_object(value, name, path);
      for (const auto& [layer, widths] : value.items()) {
        parse_widths(widths, "layers." + layer, path,
                     recipe.layers[parse_layer(layer, recipe.layers.size(), path)]);
      }
    } else if (name != "matrices" && name != "about") {
      throw Failure(fmt::format(
          "{}: there is no entry \"{}\"; expected about, embedding, classifier, matrices or layers", path,
          name));
    }
  }
  return recipe;
}

std::string recipe_text(const Recipe& recipe) {
  Json json;
  json["embedding"] = recipe.embedding;
  json["classifier"] = recipe.classifier;
  const LayerWidths common = common_widths(recipe);
  for (std::size_t i = 0; i < common.size(); ++i) {
    json["matrices"][name_of(layer_matrix_roles[i])] = common[i];
  }
  for (std::size_t layer = 0; layer < recipe.layers.size(); ++layer) {
    for (std::size_t i = 0; i < common.size(); ++i) {
      const std::uint32_t width = recipe.layers[layer][i];
      if (width != common[i]) json["layers"][std::to_string(layer)][name_of(layer_matrix_roles[i])] = width;
    }
  }
  return json.dump(2) + "\n";
}

std::uint64_t recipe_bytes(const Recipe& recipe, const ModelConfig& config) {
  const MatrixShape vocabulary{config.vocab_size, config.dim};
  std::uint64_t bytes = code_matrix_bytes(vocabulary, recipe.embedding);
  if (!config.tied_classifier) bytes += code_matrix_bytes(vocabulary, recipe.classifier);
  for (const LayerWidths& widths : recipe.layers) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      bytes += code_matrix_bytes(shape_of(layer_matrix_roles[i], config), widths[i]);
    }
  }
  const std::uint64_t norms = 2 * recipe.layers.size() + 1;
  return bytes + norms * align_up(std::uint64_t{config.dim} * sizeof(float), block_alignment);
}

double bits_per_weight(const Recipe& recipe, const ModelConfig& config) {
  return 8.0 * static_cast<double>(recipe_bytes(recipe, config)) /
         static_cast<double>(config.parameter_count());
}

}  // namespace pspllm::host
