// Every kind of bad input that users met in comparable programs: one sentence on standard error, an exit
// code, and nothing lost. Runs the command line itself.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
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

using Arguments = std::vector<std::string>;

/// A folder with a good model and its tokenizer, to spoil at will.
struct GoodModel {
  TemporaryFolder folder;
  std::string bytes = make_q80_model({});
  std::string model = folder.write("model.bin", bytes);
  std::string tokenizer = folder.write("tokenizer.bin", make_tokenizer(300));
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// One sentence, the right code, nothing on standard output.
void check_refused(const Arguments& arguments, int exit_code, const std::string& part,
                   const ProgramOptions& options = {}) {
  const ProgramResult result = run_pspllm(arguments, options);
  std::string line;
  for (const std::string& argument : arguments) line += argument.substr(0, 80) + " ";
  CAPTURE(line);
  CAPTURE(result.error);
  CHECK(result.exit_code == exit_code);
  CHECK(result.error.starts_with("pspllm: "));
  CHECK(result.error.find('\n') == result.error.size() - 1);
  CHECK(contains(result.error, part));
  CHECK(result.out.empty());
}

std::string with_field(std::string bytes, std::size_t offset, std::uint32_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

}  // namespace

TEST_CASE("a good model runs, with the tokenizer beside it") {
  const GoodModel good;
  const ProgramResult result = run_pspllm({"run", good.model, "-i", "the", "-n", "10", "-t", "0"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with("the"));
  CHECK(result.out.ends_with("\n"));
  CHECK(contains(result.error, "tokens/s"));
}

TEST_CASE("truncated, oversized and empty models are refused by every command") {
  const GoodModel good;
  const struct {
    std::string bytes;
    const char* part;
  } spoiled[] = {{good.bytes.substr(0, good.bytes.size() - 1), "cut short"},
                 {good.bytes.substr(0, 100), "header"},
                 {good.bytes + "x", "too long"},
                 {"", "empty"}};
  for (const auto& file : spoiled) {
    const std::string path = good.folder.write("spoiled.bin", file.bytes);
    for (const char* command : {"run", "chat", "inspect", "budget", "bench"}) {
      check_refused({command, path}, 1, file.part);
    }
    check_refused({"quantize", path, good.folder.path("out.bin")}, 1, file.part);
  }
}

TEST_CASE("every header field out of range is named") {
  const GoodModel good;
  constexpr const char* fields[] = {"dim",        "hidden_dim", "n_layers", "n_heads",
                                    "n_kv_heads", "vocab_size", "seq_len"};
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    for (const std::uint32_t value : {0U, 0xfffffffbU, 0x7fffffffU}) {
      check_refused({"run", good.folder.write("field.bin", with_field(good.bytes, 8 + 4 * i, value))}, 1,
                    fields[i]);
    }
  }
  check_refused({"run", good.folder.write("version.bin", with_field(good.bytes, 4, 7))}, 1, "version 7");
  check_refused({"run", good.folder.write("group.bin", with_field(good.bytes, 37, 0))}, 1, "group size is 0");
}

TEST_CASE("other people's files are named") {
  const GoodModel good;
  const std::string padding(400, '\0');
  const struct {
    std::string bytes;
    const char* part;
  } files[] = {{std::string("GGUF\x03") + padding, "GGUF"},
               {std::string("PK\x03\x04") + padding, "zip"},
               {std::string("\x10\0\0\0\0\0\0\0{\"a\"", 12) + padding, "safetensors"},
               {std::string("\x80\x02}q", 4) + padding, "pickle"},
               {"This is a text file and certainly no model at all.\n", "text file"}};
  for (const auto& file : files) {
    const std::string path = good.folder.write("foreign.bin", file.bytes);
    check_refused({"run", path}, 1, file.part);
    check_refused({"run", good.model, "-z", path}, 1, file.part);
  }
  if (const auto gguf = shared_data("data/models/stories260K.gguf")) check_refused({"run", *gguf}, 1, "GGUF");
}

TEST_CASE("a tokenizer of another model is refused with both sizes") {
  const GoodModel good;
  const std::string other = good.folder.write("other.bin", make_tokenizer(301));
  for (const char* command : {"run", "inspect"}) {
    check_refused({command, good.model, "-z", other}, 1, "301");
    check_refused({command, good.model, "-z", other}, 1, "300");
  }
  const std::string truncated = good.folder.write("cut.bin", make_tokenizer(300).substr(0, 1000));
  check_refused({"run", good.model, "-z", truncated}, 1, "cut short");
  check_refused({"run", good.model, "-z", good.model}, 1, "tokenizer");
}

TEST_CASE("a missing tokenizer is asked for") {
  const TemporaryFolder folder;
  check_refused({"run", folder.write("model.bin", make_q80_model({}))}, 1, "--tokenizer");
}

TEST_CASE("folders, devices and files that are not there are named") {
  const GoodModel good;
  const std::string folder = std::filesystem::path(good.model).parent_path().string();
  check_refused({"run", folder}, 1, "folder");
  check_refused({"run", good.model, "-z", folder}, 1, "folder");
  check_refused({"run", good.folder.path("missing.bin")}, 1, "missing.bin");
  check_refused({"run", "/dev/null"}, 1, "device");
  check_refused({"run", good.model, "--prompt-file", folder}, 1, folder);
  check_refused({"run", good.model, "--prompt-file", good.folder.path("missing.txt")}, 1, "missing.txt");
  const std::string pipe = good.folder.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_refused({"run", pipe}, 1, "pipe");
  check_refused({"quantize", good.folder.write("f32.bin", make_f32_model({}, 0)), folder}, 1, "folder");
}

TEST_CASE("unreadable files are named") {
  const GoodModel good;
  ::chmod(good.model.c_str(), 0);
  if (::access(good.model.c_str(), R_OK) == 0) {
    MESSAGE("skipped: this user reads everything");
    return;
  }
  check_refused({"run", good.model}, 1, "Permission denied");
}

TEST_CASE("odd numbers are wrong use") {
  const GoodModel good;
  for (const char* option : {"-t", "-p", "-s", "-n", "--threads"}) {
    for (const char* number :
         {"nan", "inf", "1e99", "-1", "12abc", "", " 1", "1 ", "0x10", "99999999999999999999999"}) {
      check_refused({"run", good.model, option, number}, 2, "from 0 to");
    }
  }
  check_refused({"run", good.model, "-n", "1.5"}, 2, "--steps");
  check_refused({"run", good.model, "-p", "1.1"}, 2, "--top-p");
  check_refused({"quantize", good.model, "out", "--group-size", "-4"}, 2, "--group-size");
  check_refused({"bench", good.model, "--repetitions", "0"}, 2, "--repetitions");
  check_refused({"budget", good.model, "--context", "x"}, 2, "--context");
}

TEST_CASE("what does not exist is wrong use") {
  const GoodModel good;
  check_refused({}, 2, "run");
  check_refused({"fly"}, 2, "fly");
  check_refused({"run"}, 2, "MODEL");
  check_refused({"run", good.model, "--no-such-option"}, 2, "--no-such-option");
  check_refused({"run", good.model, "--kernels", "abacus"}, 2, "abacus");
  check_refused({"run", good.model, "-i", "a", "--prompt-file", "b"}, 2, "--prompt");
  check_refused({"budget", good.model, "--device", "psp9000"}, 2, "psp9000");
  check_refused({"quantize", good.model, "out", "--type", "q3"}, 2, "q3");
}

TEST_CASE("help is not an error and shows defaults") {
  for (const char* command : {"run", "chat", "inspect", "budget", "quantize", "bench"}) {
    const ProgramResult result = run_pspllm({command, "--help"});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "Usage:"));
  }
  CHECK(contains(run_pspllm({"run", "--help"}).out, "256"));
}

TEST_CASE("prompts longer than the context are refused with the numbers, never cut") {
  const GoodModel good;
  std::string prompt;
  for (int i = 0; i < 700; ++i) prompt += "xz";
  check_refused({"run", good.model, "-i", prompt}, 1, "32");
  check_refused({"run", good.model, "--prompt-file", good.folder.write("prompt.txt", prompt)}, 1, "1402");
  check_refused({"run", good.model, "-i", "the and the and the and", "-n", "3"}, 1, "--steps 3");
  // runq.c's behaviour, on request: the prompt is shown up to the steps.
  const ProgramResult cut = run_pspllm({"run", good.model, "-i", prompt, "-n", "8", "--reference-output"});
  CHECK(cut.exit_code == 0);
  CHECK(cut.out == "xzxzxzx\n");
}

TEST_CASE("long prompts, long words and zero bytes do not break the encoder") {
  const GoodModel good;
  check_refused({"run", good.model, "--prompt-file", "-"}, 1, "context",
                {.input = std::string(1 << 20, 'a')});
  check_refused({"run", good.model, "--prompt-file", "-"}, 1, "zero byte", {.input = std::string("a\0b", 3)});
}

TEST_CASE("any bytes make a prompt, and plain output is correct UTF-8") {
  const GoodModel good;
  const ProgramResult emoji =
      run_pspllm({"run", good.model, "-i", "caf\xC3\xA9 \xF0\x9F\x98\xBA", "-n", "20", "-t", "0"});
  CHECK(emoji.exit_code == 0);
  CHECK(emoji.out.starts_with("caf\xC3\xA9 \xF0\x9F\x98\xBA"));
  const ProgramResult reference =
      run_pspllm({"run", good.model, "-i", "\xF0\x9F\x98\xBA!", "-n", "6", "-t", "0", "--reference-output"});
  CHECK(reference.exit_code == 0);
  CHECK(reference.out.starts_with("!"));
  for (const char* prompt : {"", "{}", "[]", "-x", "--", "%d%s", "\x80\xFF"}) {
    CAPTURE(prompt);
    CHECK(run_pspllm({"run", good.model, "-i", prompt, "-t", "0", "-n", "16"}).exit_code == 0);
  }
}

TEST_CASE("a full disk leaves what was there and says so") {
  const GoodModel good;
  const std::string input = good.folder.write("f32.bin", make_f32_model({}, 0));
  const std::string output = good.folder.write("out.bin", "an old file");
  const std::size_t files = good.folder.count();
  check_refused({"quantize", input, output}, 1, "make room", {.largest_file = 4096});
  CHECK(read_file(output) == "an old file");
  CHECK(good.folder.count() == files);
  const ProgramResult json =
      run_pspllm({"run", good.model, "-n", "4", "--json", output}, {.largest_file = 16});
  CHECK(json.exit_code == 1);
  CHECK(read_file(output) == "an old file");
  CHECK(good.folder.count() == files);
}

TEST_CASE("standard output that takes nothing is an error") {
  const GoodModel good;
  const ProgramResult result = run_pspllm({"run", good.model, "-n", "4"}, {.standard_output = "/dev/full"});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.error, "standard output"));
}

TEST_CASE("a device as output is written to, not replaced") {
  const GoodModel good;
  CHECK(run_pspllm({"run", good.model, "-n", "4", "--json", "/dev/null"}).exit_code == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(run_pspllm({"run", good.model, "-n", "4", "--json", "/dev/full"}).exit_code == 1);
}

TEST_CASE("weights that are not finite are refused with the tensor's name") {
  const TemporaryFolder folder;
  std::string bytes = make_f32_model({}, 1);
  const float infinity = 1.0F / 0.0F;
  std::memcpy(bytes.data() + bytes.size() - sizeof infinity, &infinity, sizeof infinity);
  check_refused({"quantize", folder.write("bad.bin", bytes), folder.path("out.bin")}, 1,
                "up of layer 1, row 23, column 15");
  CHECK_FALSE(std::filesystem::exists(folder.path("out.bin")));
}

TEST_CASE("quantize refuses what it cannot do") {
  const GoodModel good;
  const std::string input = good.folder.write("f32.bin", make_f32_model({}, 0));
  check_refused({"quantize", good.model, good.folder.path("out.bin")}, 1, "already quantised");
  check_refused({"quantize", input, input}, 1, "both input and output");
  check_refused({"quantize", input, good.folder.path("out.bin"), "--group-size", "16"}, 1, "hidden_dim 24");
}

TEST_CASE("convert and .pspm files: what is wrong is said by every command") {
  const GoodModel good;
  const std::string out = good.folder.path("out.pspm");
  const std::string pspm = make_pspm_model({}, {});
  const std::string model = good.folder.write("good.pspm", pspm);
  const std::string cut = good.folder.write("cut.pspm", pspm.substr(0, pspm.size() - 64));
  std::string flipped = pspm;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  const std::string damaged = good.folder.write("damaged.pspm", flipped);
  for (const char* command : {"run", "chat", "inspect", "budget", "bench"}) {
    check_refused({command, cut}, 1, "cut short");
    check_refused({command, model, "-z", good.tokenizer}, 1, "holds its own tokenizer");
  }
  for (const char* command : {"run", "chat", "inspect", "bench"}) {
    check_refused({command, damaged}, 1, "final_norm of layer 0: its checksum does not match its bytes");
  }
  check_refused({"convert", cut, out}, 1, "cut short");
  check_refused({"convert", damaged, out}, 1, "checksum");
  check_refused({"convert", good.model, good.model}, 1, "both input and output");
  check_refused({"convert", good.model, out, "--group-size", "16"}, 1, "hidden_dim 24");
  check_refused({"convert", good.model, out, "--type", "q4"}, 2, "q4");
  check_refused({"convert", good.model, "/dev/full"}, 1, "/dev/full");
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("a model that does not fit says so with exit code 1, after the table") {
  const GoodModel good;
  TestShape large;
  large.dim = 1024;
  large.hidden_dim = 2048;
  const std::string path = good.folder.write("large.bin", make_q80_model(large));
  const ProgramResult result = run_pspllm({"budget", path});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.out, "weights"));
  CHECK(contains(result.error, "does not fit"));
  CHECK(run_pspllm({"budget", path, "--device", "psp2000"}).exit_code == 0);
  check_refused({"budget", good.model, "--context", "33"}, 1, "expected 1 to 32");
}

}  // namespace pspllm::testing
