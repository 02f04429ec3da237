#include "tests/support/golden_cases.hpp"

#include <xxhash.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engine/testing/test_model.hpp"
#include "engine/text/text_codec.hpp"
#include "host/core/failure.hpp"
#include "host/generation/text_job.hpp"
#include "host/generation/text_writer.hpp"
#include "host/model/loaded_model.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/shared_data.hpp"

namespace pspllm::testing {
namespace {

struct ModelPaths {
  std::string model;
  std::string tokenizer;
};

constexpr const char* large_model = "random15M_q80";

class Collector : public host::TextListener {
 public:
  explicit Collector(const TextCodec& tokenizer) : tokenizer_(tokenizer) {}
  void token(std::int32_t previous, std::int32_t token) override {
    text += host::reference_piece(tokenizer_, previous, token);
  }
  std::string text;

 private:
  const TextCodec& tokenizer_;
};

std::string reference_text(Engine& engine, const GoldenCase& golden) {
  SamplerOptions sampler;
  sampler.temperature = static_cast<float>(golden.temperature);
  sampler.top_p = static_cast<float>(golden.top_p);
  sampler.seed = golden.seed;
  const auto tokens = encode(engine.tokenizer, golden.prompt, TextPlace::beginning, engine.encode_scratch);
  host::require(tokens.status());
  const std::vector<std::int32_t> prompt(tokens.value().begin(), tokens.value().end());
  Generator generator = make_generator(engine, sampler, {});
  Collector collector(engine.tokenizer);
  host::require(host::generate_text(generator, {prompt, golden.steps, false}, collector).status());
  return collector.text + "\n";
}

/// Makes the file that the goldens call random15M_q80, once a folder.
std::string random_model_in(const TemporaryFolder& folder) {
  const std::string path = folder.path("random15M_q80.bin");
  if (std::filesystem::exists(path)) return path;
  const std::string bytes = make_q80_model(random15m_shape);
  // XXH64 of the file whose SHA-256 the shared data's README gives.
  constexpr std::uint64_t checksum = 0x3f3f7194a9265793;
  if (XXH64(bytes.data(), bytes.size(), 0) != checksum) {
    throw std::runtime_error("the random model has other bytes than tools/make_random_model.py gives");
  }
  return folder.write("random15M_q80.bin", bytes);
}

ModelPaths paths_of(const std::string& name, const TemporaryFolder& folder) {
  const auto data = [](const char* file) {
    return shared_data(std::string("data/models/") + file).value_or("");
  };
  if (name == large_model) return {random_model_in(folder), data("tokenizer32000.bin")};
  if (name == "babyllama_q80") return {data("babyllama_q80.bin"), data("babyllama/tokenizer.bin")};
  return {data((name + ".bin").c_str()), data("tok512.bin")};
}

nlohmann::json entries_in(const std::string& golden_folder) {
  return nlohmann::json::parse(read_file(golden_folder + "/cases.json"));
}

GoldenCase case_of(const nlohmann::json& entry, const ModelPaths& paths, const std::string& golden_folder) {
  const std::string name = entry["file"];
  const std::string expected = read_file(golden_folder + "/" + name);
  if (expected.empty()) throw std::runtime_error("the golden text " + name + " is missing");
  return {name,           paths.model,          paths.tokenizer, entry["prompt"],
          entry["steps"], entry["temperature"], entry["top_p"],  entry["seed"],
          expected};
}

bool is_wanted(const std::string& model, GoldenModels which) {
  return which == GoldenModels::all || (model == large_model) == (which == GoldenModels::large);
}

}  // namespace

std::vector<GoldenCase> golden_cases(GoldenModels which, const TemporaryFolder& folder) {
  std::vector<GoldenCase> cases;
  const auto golden_folder = shared_data("golden");
  if (!golden_folder) return cases;
  for (const nlohmann::json& entry : entries_in(*golden_folder)) {
    const std::string model = entry["model"];
    if (is_wanted(model, which)) cases.push_back(case_of(entry, paths_of(model, folder), *golden_folder));
  }
  if (cases.empty()) throw std::runtime_error("cases.json holds no case for these models");
  return cases;
}

std::vector<GoldenCase> own_golden_cases() {
  const std::string golden_folder = "tests/golden";
  std::vector<GoldenCase> cases;
  for (const nlohmann::json& entry : entries_in(golden_folder)) {
    const std::string folder = "models/" + entry["model"].get<std::string>();
    cases.push_back(case_of(entry, {folder + "/model.bin", folder + "/tokenizer.bin"}, golden_folder));
  }
  return cases;
}

std::vector<std::string> differing_golden_cases(const std::string& kernels, std::uint32_t threads,
                                                const std::vector<GoldenCase>& cases) {
  std::vector<std::string> differing;
  std::map<std::string, std::unique_ptr<host::LoadedModel>> loaded;
  for (const GoldenCase& golden : cases) {
    std::unique_ptr<host::LoadedModel>& model = loaded[golden.model];
    if (model == nullptr) {
      model = std::make_unique<host::LoadedModel>(host::open_model(golden.model, golden.tokenizer),
                                                  PlanOptions{}, host::ComputeOptions{kernels, threads});
    }
    if (reference_text(model->engine(), golden) != golden.expected) differing.push_back(golden.name);
  }
  return differing;
}

}  // namespace pspllm::testing
