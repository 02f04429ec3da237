// What the commands do when all is well.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/testing/test_model.hpp"
#include "engine/testing/test_pspm.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::testing {
namespace {

struct GoodModel {
  TemporaryFolder folder;
  std::string model = folder.write("model.bin", make_q80_model({}));
  std::string tokenizer = folder.write("tokenizer.bin", make_tokenizer(300));
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the same seed tells the same text, another seed another") {
  const GoodModel good;
  const auto text = [&](const char* seed) {
    return run_pspllm({"run", good.model, "-i", "the", "-s", seed, "-n", "0"}).out;
  };
  CHECK(text("5") == text("5"));
  CHECK(text("5") != text("6"));
}

TEST_CASE("a prompt from a file or from standard input is the prompt, one line end left out") {
  const GoodModel good;
  const std::vector<std::string> tail{"-t", "0", "-n", "20"};
  const auto run_with = [&](std::vector<std::string> arguments, const ProgramOptions& options = {}) {
    arguments.insert(arguments.begin(), {"run", good.model});
    arguments.insert(arguments.end(), tail.begin(), tail.end());
    return run_pspllm(arguments, options).out;
  };
  const std::string expected = run_with({"-i", "the hen"});
  CHECK(run_with({"--prompt-file", good.folder.write("prompt.txt", "the hen\n")}) == expected);
  CHECK(run_with({"--prompt-file", "-"}, {.input = "the hen\r\n"}) == expected);
}

TEST_CASE("--json holds the text and the figures") {
  const GoodModel good;
  const std::string path = good.folder.path("run.json");
  const ProgramResult result =
      run_pspllm({"run", good.model, "-i", "the", "-n", "20", "-s", "3", "--json", path});
  REQUIRE(result.exit_code == 0);
  const nlohmann::json document = nlohmann::json::parse(read_file(path));
  CHECK(document["text"].get<std::string>() == result.out);
  CHECK(document["seed"] == 3);
  CHECK(document["prompt_tokens"] == 2);
  CHECK(document["generated_tokens"].get<int>() <= 19);
  CHECK(document["peak_bytes"].get<std::uint64_t>() > 0);
}

TEST_CASE("Ctrl-C stops cleanly with the figures so far") {
  const TemporaryFolder folder;
  TestShape shape;
  shape.dim = 256;
  shape.hidden_dim = 512;
  shape.seq_len = 100000;
  const std::string model = folder.write("model.bin", make_q80_model(shape));
  folder.write("tokenizer.bin", make_tokenizer(300));
  for (const char* kernels : {"best", "reference"}) {
    // Seed 1 and temperature 0 do not end the text by themselves before many thousand tokens.
    const ProgramResult result = run_pspllm(
        {"run", model, "-n", "0", "-s", "1", "-t", "50", "--kernels", kernels}, {.interrupt_after = 200});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.error, "stopped by the user"));
    CHECK(result.out.ends_with("\n"));
  }
}

TEST_CASE("a chat goes on with one story, resets and saves") {
  const GoodModel good;
  const std::string saved = good.folder.path("story.txt");
  const ProgramResult result =
      run_pspllm({"chat", good.model, "-t", "0", "--turn-tokens", "4"},
                 {.input = "the hen\n\n/help\n/save " + saved + "\n/reset\nthe hen\n/quit\nnever read\n"});
  CHECK(result.exit_code == 0);
  CHECK(contains(result.error, "/reset"));
  CHECK(contains(read_file(saved), "> the hen\n"));
  const std::size_t first_end = result.out.find('\n');
  REQUIRE(first_end != std::string::npos);
  const std::string first = result.out.substr(0, first_end + 1);
  CHECK(result.out.ends_with(first));
}

TEST_CASE("a chat refuses what the context does not hold and goes on") {
  const GoodModel good;
  const ProgramResult result = run_pspllm({"chat", good.model, "-t", "0", "--turn-tokens", "2"},
                                          {.input = std::string(500, 'x') + "\nthe hen\n"});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.error, "context of 32"));
  CHECK_FALSE(result.out.empty());
  CHECK(run_pspllm({"chat", good.model}, {.input = "/nonsense\n"}).exit_code == 1);
  CHECK(run_pspllm({"chat", good.model}, {.input = ""}).exit_code == 0);
}

TEST_CASE("inspect tells shape, tensors and checksums") {
  const GoodModel good;
  const ProgramResult text = run_pspllm({"inspect", good.model});
  CHECK(text.exit_code == 0);
  CHECK(contains(text.out, "2 layers, dim 16"));
  const nlohmann::json document = nlohmann::json::parse(run_pspllm({"inspect", good.model, "--json"}).out);
  CHECK(document["kind"] == "llama2.c version 2 (q80)");
  CHECK(document["group_size"] == 8);
  CHECK(document["tensors"].size() == 18);
  CHECK(document["tokenizer"]["pieces"] == 300);
  CHECK(document["xxh64"].get<std::string>().size() == 16);
  for (const auto& tensor : document["tensors"]) CHECK(tensor["smallest"] < tensor["largest"]);
}

TEST_CASE("inspect needs no tokenizer") {
  const TemporaryFolder folder;
  const ProgramResult result = run_pspllm({"inspect", folder.write("m.bin", make_f32_model({}, 0))});
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "none lies beside"));
}

TEST_CASE("budget's regions add up to the partition") {
  const GoodModel good;
  for (const char* device : {"psp1000", "psp2000"}) {
    const nlohmann::json document =
        nlohmann::json::parse(run_pspllm({"budget", good.model, "--device", device, "--json"}).out);
    std::uint64_t end = 0;
    for (const auto& region : document["regions"]) {
      CHECK(region["offset"].get<std::uint64_t>() == end);
      end += region["bytes"].get<std::uint64_t>();
    }
    CHECK(end == document["needed_bytes"].get<std::uint64_t>());
    CHECK(end + document["free_bytes"].get<std::uint64_t>() ==
          document["partition_bytes"].get<std::uint64_t>());
    CHECK(document["fits"] == true);
  }
}

TEST_CASE("budget's page holds the map and needs nothing else") {
  const GoodModel good;
  const std::string path = good.folder.path("map.html");
  REQUIRE(run_pspllm({"budget", good.model, "--html", path}).exit_code == 0);
  const std::string page = read_file(path);
  CHECK(page.starts_with("<!DOCTYPE html>"));
  for (const char* part : {"<svg", "<title>weights:", "key_cache", "</html>"}) CHECK(contains(page, part));
  CHECK_FALSE(contains(page, "<script"));
  CHECK_FALSE(contains(page, "src="));
}

TEST_CASE("JSON reports go to a file on request") {
  const GoodModel good;
  const std::string path = good.folder.path("budget.json");
  const ProgramResult result = run_pspllm({"budget", good.model, "--json=" + path});
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(nlohmann::json::parse(read_file(path))["device"] == "psp1000");
}

TEST_CASE("bench measures both phases") {
  const GoodModel good;
  const nlohmann::json document =
      nlohmann::json::parse(run_pspllm({"bench", good.model, "--repetitions", "3", "--json"}).out);
  CHECK(document["prefill_tokens_per_second"]["repetitions"].size() == 3);
  CHECK(document["decode_tokens_per_second"]["mean"].get<double>() > 0);
  CHECK(document["prompt_tokens"].get<int>() + document["generated_tokens"].get<int>() <= 32);
  CHECK(run_pspllm({"bench", good.model, "--prompt-tokens", "40"}).exit_code == 1);
}

TEST_CASE("eval measures a model, and how far another one is from it") {
  const TemporaryFolder folder;
  const std::string fp32 = folder.path("fp32.pspm");
  const std::string model = "models/stories-2M/model.bin";
  REQUIRE(run_pspllm({"convert", model, fp32, "--type", "f32"}).exit_code == 0);
  const std::string text = folder.write(
      "story.txt",
      "Once upon a time, there was a little girl named Lily. She loved to play outside in the sun.");
  const ProgramResult result =
      run_pspllm({"eval", model, "--text", text, "--reference", fp32, "--all-tokens", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  const nlohmann::json document = nlohmann::json::parse(result.out);
  CHECK(document["model"]["scored_bytes"] == 91);
  CHECK(document["model"]["bits_per_byte"].get<double>() < 1.0);
  // The same weights with and without rounded activations: not equal, and near.
  CHECK(document["divergence"]["mean"].get<double>() > 0.0);
  CHECK(document["divergence"]["mean"].get<double>() < 0.01);
  CHECK(document["same_likeliest_token"]["mean"].get<double>() > 0.9);
  const ProgramResult short_text = run_pspllm({"eval", model, "--text", text});
  CHECK(short_text.exit_code == 1);
  CHECK(contains(short_text.error, "too few"));
  const ProgramResult several =
      run_pspllm({"eval", "--text", text, "--all-tokens", "--json", "--text", text, model});
  REQUIRE_MESSAGE(several.exit_code == 0, several.error);
  CHECK(nlohmann::json::parse(several.out).size() == 2);
  CHECK(nlohmann::json::parse(several.out)[1]["text"] == text);
}

TEST_CASE("eval lets a model answer prompts, and a judge score these or other answers") {
  const TemporaryFolder folder;
  const std::string chat = folder.path("chat.pspm");
  REQUIRE(run_pspllm({"convert", "models/stories-2M/model.bin", chat, "--template", "plain"}).exit_code == 0);
  const std::string prompts =
      folder.write("prompts.jsonl", "{\"prompt\": \"Tell me of a dog.\", \"any_of\": [\"dog\"]}\n");
  const auto run_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"eval", "--conversation", prompts, "--judge",
                                       chat,   "--turn-tokens",  "20",    "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_pspllm(arguments);
  };
  const ProgramResult result = run_with({chat});
  REQUIRE_MESSAGE(result.exit_code == 0, result.error);
  const nlohmann::json document = nlohmann::json::parse(result.out);
  REQUIRE(document["sets"].size() == 2);
  const nlohmann::json& greedy = document["sets"][0];
  CHECK(greedy["judged"]["perplexity"].get<double>() > 1.0);
  CHECK(greedy["answers"][0]["tokens"].get<int>() <= 20);
  CHECK(greedy["right"]["of"] == 1);

  // The greedy answer, given from outside, is judged alike.
  const std::string answers = folder.write("answers.jsonl", greedy["answers"][0].dump());
  const ProgramResult outside = run_with({"--answers", answers});
  REQUIRE_MESSAGE(outside.exit_code == 0, outside.error);
  CHECK(nlohmann::json::parse(outside.out)["sets"][0]["judged"] == greedy["judged"]);

  CHECK(run_with({}).exit_code == 2);
  CHECK(run_with({chat, "--answers", answers}).exit_code == 2);
  CHECK(run_with({chat, "--text", prompts}).exit_code != 0);
  CHECK(run_pspllm({"eval", chat}).exit_code == 2);
  const ProgramResult no_template =
      run_pspllm({"eval", "models/stories-2M/model.bin", "--conversation", prompts});
  CHECK(no_template.exit_code == 1);
  CHECK(contains(no_template.error, "no chat template"));
}

TEST_CASE("quantised models of every kind run") {
  for (const std::uint32_t version : {0U, 1U}) {
    for (const bool tied : {true, false}) {
      const GoodModel good;
      TestShape shape;
      shape.tied_classifier = tied;
      const std::string input = good.folder.write("f32.bin", make_f32_model(shape, version));
      const std::string output = good.folder.path("q80.bin");
      REQUIRE(run_pspllm({"quantize", input, output}).exit_code == 0);
      const nlohmann::json document = nlohmann::json::parse(run_pspllm({"inspect", output, "--json"}).out);
      CHECK(document["tied_classifier"] == tied);
      // The largest of 64, 32, 16 ... that divides 16 and 24.
      CHECK(document["group_size"] == 8);
      CHECK(run_pspllm({"run", input, "-n", "8"}).exit_code == 0);
      CHECK(run_pspllm({"run", output, "-n", "8"}).exit_code == 0);
    }
  }
}

TEST_CASE("a model converted to .pspm tells exactly the same text, with its tokenizer inside") {
  const TemporaryFolder folder;
  const std::string pspm = folder.path("stories.pspm");
  const std::string original = "models/stories-2M/model.bin";
  REQUIRE(run_pspllm({"convert", original, pspm, "--about", "stories"}).exit_code == 0);
  for (const char* temperature : {"0", "0.9"}) {
    const auto text_of = [temperature](const std::string& model) {
      return run_pspllm({"run", model, "-i", "Once upon a time", "-t", temperature, "-s", "7", "-n", "0"})
          .out;
    };
    const std::string expected = text_of(original);
    CHECK(expected.size() > 200);
    CHECK(text_of(pspm) == expected);
  }
}

TEST_CASE("inspect, budget and bench take .pspm files of every format") {
  const TemporaryFolder folder;
  for (const TestFormat& format :
       {TestFormat{TensorFormat::f32, 0}, {TensorFormat::q80, 8}, {TensorFormat::codes, 6}}) {
    PspmParts parts = make_pspm_parts({}, format);
    parts.about = "Random numbers.";
    const std::string model = folder.write("model.pspm", assemble(parts));
    const ProgramResult text = run_pspllm({"inspect", model});
    CHECK(text.exit_code == 0);
    for (const char* part : {"Random numbers.", "section", "rope", "weights", "layer 1 attention_norm"}) {
      CHECK(contains(text.out, part));
    }
    const nlohmann::json document = nlohmann::json::parse(run_pspllm({"inspect", model, "--json"}).out);
    CHECK(document["kind"] == "pspm version 1");
    CHECK(document["sections"].size() == 6);
    CHECK(document["tensors"].size() == 20);
    CHECK(document["tokenizer"]["pieces"] == 300);
    CHECK(document["file_bits_per_weight"].get<double>() > document["bits_per_weight"].get<double>());
    CHECK(document["tensors"][0]["format"] == name_of(format.format));
    CHECK(run_pspllm({"budget", model}).exit_code == 0);
    CHECK(run_pspllm({"bench", model, "--repetitions", "1"}).exit_code == 0);
  }
}

TEST_CASE("a GGUF model tells what the llama2.c model that it was made from tells") {
  const auto gguf = shared_data("data/models/stories260K.gguf");
  const auto model = shared_data("data/models/stories260K.bin");
  const auto tokenizer = shared_data("data/models/tok512.bin");
  if (!gguf || !model || !tokenizer) return;
  const TemporaryFolder folder;
  const std::string converted = folder.path("model.pspm");
  const ProgramResult conversion = run_pspllm({"convert", *gguf, converted, "--type", "f32"});
  REQUIRE_MESSAGE(conversion.exit_code == 0, conversion.error);
  const std::vector<std::string> tail{"-i", "Once upon a time", "-t", "0", "-n", "100"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), tail.begin(), tail.end());
    return run_pspllm(arguments);
  };
  const ProgramResult ours = run({"run", converted});
  CHECK(ours.exit_code == 0);
  CHECK(ours.out == run({"run", *model, "-z", *tokenizer}).out);
  CHECK(contains(run_pspllm({"inspect", *gguf}).out, "blk.4.ffn_down.weight"));
}

TEST_CASE("quantize gives llama2.c's exporter's bytes") {
  const TemporaryFolder folder;
  const struct {
    const char* input;
    const char* expected;
    const char* group_size;
  } cases[] = {{"stories260K.bin", "stories260K_q80.bin", "4"},
               {"stories260K.bin", "stories260K_q80.bin", "0"},
               {"babyllama/model.bin", "babyllama_q80.bin", "32"}};
  for (const auto& entry : cases) {
    const auto input = shared_data(std::string("data/models/") + entry.input);
    const auto expected = shared_data(std::string("data/models/") + entry.expected);
    if (!input || !expected) return;
    const std::string output = folder.path("out.bin");
    REQUIRE(run_pspllm({"quantize", *input, output, "--group-size", entry.group_size}).exit_code == 0);
    CHECK(read_file(output) == read_file(*expected));
  }
}

TEST_CASE("the command line prints runq.c's bytes") {
  const auto model = shared_data("data/models/stories260K_q80.bin");
  const auto tokenizer = shared_data("data/models/tok512.bin");
  const auto expected = shared_data("golden/stories260K_q80.dog.t08p09.txt");
  if (!model || !tokenizer || !expected) return;
  const ProgramResult result =
      run_pspllm({"run", *model, "-z", *tokenizer, "-i", "The dog ran to the", "-n", "200", "-t", "0.8", "-p",
                  "0.9", "-s", "42", "--reference-output"});
  CHECK(result.out == read_file(*expected));
}

}  // namespace pspllm::testing
