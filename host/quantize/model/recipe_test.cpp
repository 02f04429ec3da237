#include "host/quantize/model/recipe.hpp"

#include <doctest/doctest.h>

#include "engine/model/code_layout.hpp"

#include "host/core/failure.hpp"
#include "host/quantize/model/tiny_checkpoint.hpp"

namespace pspllm::host {
namespace {

const ModelConfig config = tiny_checkpoint().config;

std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse_recipe(text, "r.json", config));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a recipe names what differs") {
  const Recipe recipe = parse_recipe(
      R"({"about": "x", "embedding": 3, "matrices": {"up": 8}, "layers": {"1": {"up": 5, "query": 2}}})", "r",
      config);
  CHECK(recipe.embedding == 3);
  CHECK(recipe.classifier == 2);
  CHECK(recipe.layers[0] == LayerWidths{6, 6, 4, 6, 6, 8, 6});
  CHECK(recipe.layers[1] == LayerWidths{2, 6, 4, 6, 6, 5, 6});
  CHECK(parse_recipe("{}", "r", config).layers == default_recipe(config).layers);
}

TEST_CASE("a written recipe reads back") {
  Recipe recipe = even_recipe(config, 5, 3);
  recipe.layers[2][6] = 1;
  recipe.classifier = 4;
  const Recipe back = parse_recipe(recipe_text(recipe), "r", config);
  CHECK(back.embedding == 3);
  CHECK(back.classifier == 4);
  CHECK(back.layers == recipe.layers);
}

TEST_CASE("bad recipes get a sentence") {
  CHECK(complaint_about("[1]") == "r.json: not a recipe: expected a JSON object");
  CHECK(complaint_about("{\"embedding\": 9}") ==
        "r.json: embedding is 9, expected a code width: 1 to 8 weights a byte");
  CHECK(complaint_about("{\"embedding\": 0}").find("embedding is 0") != std::string::npos);
  CHECK(complaint_about("{\"embedding\": -1}").find("embedding is -1") != std::string::npos);
  CHECK(complaint_about("{\"embedding\": 2.5}").find("embedding is 2.5") != std::string::npos);
  CHECK(complaint_about("{\"layers\": {\"3\": {}}}") == "r.json: there is no layer \"3\"; expected 0 to 2");
  CHECK(complaint_about("{\"layers\": {\"-1\": {}}}").find("no layer \"-1\"") != std::string::npos);
  CHECK(complaint_about("{\"layers\": {\"0\": 4}}").find("layers.0 is 4") != std::string::npos);
  CHECK(complaint_about("{\"matrices\": {\"wq\": 4}}").find("no matrix \"wq\"; expected one of: query") !=
        std::string::npos);
  CHECK(complaint_about("{\"embeding\": 4}").find("no entry \"embeding\"") != std::string::npos);
  CHECK(complaint_about("").find("not a recipe") != std::string::npos);
}

TEST_CASE("sizes are those of the layouts") {
  const Recipe recipe = even_recipe(config, 4, 2);
  std::uint64_t expected = CodeLayout{80, 48, 2}.bytes() + 7 * 192;
  expected += 3 * (2 * CodeLayout{48, 48, 4}.bytes() + 2 * CodeLayout{24, 48, 4}.bytes() +
                   2 * CodeLayout{96, 48, 4}.bytes() + CodeLayout{48, 96, 4}.bytes());
  CHECK(recipe_bytes(recipe, config) == expected);
  ModelConfig untied = config;
  untied.tied_classifier = false;
  CHECK(recipe_bytes(recipe, untied) == expected + CodeLayout{80, 48, 2}.bytes());
  CHECK(bits_per_weight(recipe, config) ==
        doctest::Approx(8.0 * static_cast<double>(expected) / static_cast<double>(config.parameter_count())));
}

}  // namespace pspllm::host
