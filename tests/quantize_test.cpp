// pspllm quantize to byte codes, from the command line: the whole way, and every kind of wrong use.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/testing/test_model.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {
namespace {

using Arguments = std::vector<std::string>;

/// A tiny model with its tokenizer, a calibration text, a place for the output.
struct Workshop {
  TemporaryFolder folder;
  std::string model = folder.write("model.bin", make_q80_model({}));
  std::string tokenizer = folder.write("tokenizer.bin", make_tokenizer(300));
  std::string text = folder.write("text.txt", long_text());
  std::string out = folder.path("out.pspm");

  static std::string long_text() {
    std::string text;
    for (int i = 0; i < 400; ++i) text += "the " + std::to_string(i * 7919) + " and a thing<|endoftext|>\n";
    return text;
  }
  [[nodiscard]] Arguments command(const Arguments& more) const {
    Arguments all{"quantize", model, out};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

void check_refused(const Workshop& workshop, const Arguments& more, int exit_code, const std::string& part) {
  const ProgramResult result = run_pspllm(workshop.command(more));
  CAPTURE(result.error);
  CHECK(result.exit_code == exit_code);
  CHECK(result.error.find(part) != std::string::npos);
  CHECK(!std::filesystem::exists(workshop.out));
}

}  // namespace

TEST_CASE("a model goes the whole way, to the same file with any number of threads") {
  const Workshop workshop;
  const std::string report = workshop.folder.path("report.json");
  const Arguments calibrated{"--calibration", workshop.text, "--calibration-tokens",
                             "2000",          "--report",    report};
  Arguments one = workshop.command(calibrated);
  one.insert(one.end(), {"--threads", "1"});
  const ProgramResult result = run_pspllm(one);
  CAPTURE(result.error);
  REQUIRE(result.exit_code == 0);
  CHECK(result.error.find("held-out tokens: loss") != std::string::npos);
  const std::string bytes = read_file(workshop.out);
  CHECK(!std::filesystem::exists(workshop.out + ".work"));
  const nlohmann::json json = nlohmann::json::parse(read_file(report));
  CHECK(json["file_bytes"] == bytes.size());
  CHECK(json["held_out"]["tokens"] > 0);
  CHECK(json["tensors"][0]["role"] == "token_embedding");

  Arguments three = workshop.command({"--calibration", workshop.text, "--calibration-tokens", "2000"});
  three.insert(three.end(), {"--threads", "3"});
  REQUIRE(run_pspllm(three).exit_code == 0);
  CHECK(read_file(workshop.out) == bytes);
  CHECK(run_pspllm({"run", workshop.out, "-i", "the", "-n", "5", "-t", "0"}).exit_code == 0);
}

TEST_CASE("a report has pictures, a target gets a recipe that reads back") {
  const Workshop workshop;
  const std::string report = workshop.folder.path("report.html");
  const ProgramResult searched =
      run_pspllm(workshop.command({"--calibration", workshop.text, "--calibration-tokens", "2000",
                                   "--target-bpw", "33", "--report", report}));
  CAPTURE(searched.error);
  REQUIRE(searched.exit_code == 0);
  CHECK(read_file(report).find("<svg") != std::string::npos);
  const std::string bytes = read_file(workshop.out);
  const ProgramResult again =
      run_pspllm(workshop.command({"--calibration", workshop.text, "--calibration-tokens", "2000", "--recipe",
                                   workshop.out + ".recipe.json"}));
  CHECK(again.exit_code == 0);
  CHECK(read_file(workshop.out) == bytes);
}

TEST_CASE("wrong use and bad input get a sentence") {
  const Workshop workshop;
  const auto file = [&](const std::string& content) { return workshop.folder.write("file", content); };
  check_refused(workshop, {"--calibration", file("")}, 1, "the calibration text is empty");
  check_refused(workshop, {"--calibration", file("too short")}, 1, "is too short");
  check_refused(workshop, {"--calibration", workshop.model}, 1, "not a text: byte");
  check_refused(workshop, {"--calibration", workshop.folder.path("none")}, 1, "none");
  check_refused(workshop, {"--recipe", file("nonsense")}, 1, "not a recipe");
  check_refused(workshop, {"--recipe", file("{\"embedding\": 12}")}, 1, "embedding is 12");
  check_refused(workshop, {"--target-bpw", "2"}, 2, "add --calibration TEXT");
  check_refused(workshop, {"--target-bpw", "0.5", "--calibration", workshop.text}, 1, "are too few");
  check_refused(workshop, {"--target-bpw", "nan"}, 2, "target-bpw");
  check_refused(workshop, {"--target-bpw", "2", "--recipe", "r.json"}, 2, "leave --recipe out");
  check_refused(workshop, {"--group-size", "32"}, 2, "--group-size is for --type q80");
  check_refused(workshop, {"--type", "q80", "--calibration", workshop.text}, 2, "for --type codes");
}

}  // namespace pspllm::testing
