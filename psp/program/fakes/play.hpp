// A whole program on a fake console and a fake stick.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "psp/program/application.hpp"
#include "psp/program/fakes/fake_console.hpp"
#include "psp/program/fakes/fake_stick.hpp"
#include "psp/program/fakes/tiny_model.hpp"

namespace pspllm::psp {

inline constexpr const char* play_folder = "ms0:/PSP/GAME/PspLlm";

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};

/// Console, stick, memory and program; run() plays the script to its end.
class Play {
 public:
  explicit Play(std::size_t block_bytes = std::size_t{4} << 20)
      : memory_(static_cast<std::byte*>(::operator new[](block_bytes, std::align_val_t{64}))),
        state_(std::make_unique<ProgramState>(console, stick, reference_kernels())) {
    state_->folder = Path(play_folder);
    state_->block = {memory_.get(), block_bytes};
    state_->memory.program_bytes = 300'000;
  }

  /// The model beside the program, or under models/NAME.
  void put_model(const std::string& name = "", const TinyShape& shape = {}) {
    const TinyModel tiny = make_tiny_model(shape);
    put(name, tiny.model, tiny.tokenizer);
  }
  void put(const std::string& name, const std::string& model, const std::string& tokenizer) {
    const std::string folder = name.empty() ? "" : "models/" + name + "/";
    file(folder + "model.bin") = model;
    file(folder + "tokenizer.bin") = tokenizer;
  }

  std::string& file(const std::string& name) { return stick.files[std::string(play_folder) + "/" + name]; }
  [[nodiscard]] bool has_file(const std::string& name) const {
    return stick.files.count(std::string(play_folder) + "/" + name) != 0;
  }

  void run() { run_application(*state_); }
  ProgramState& state() { return *state_; }

  FakeConsole console;
  FakeStick stick;

 private:
  std::unique_ptr<std::byte[], AlignedDelete> memory_;
  std::unique_ptr<ProgramState> state_;
};

/// The shared data folder; empty where this checkout has none.
inline std::string shared_folder() {
  const char* const named = std::getenv("PSPLLM_SHARED");
  const std::string folder = named != nullptr ? named : "../shared";
  return std::filesystem::exists(folder + "/golden/cases.json") ? folder : std::string();
}

}  // namespace pspllm::psp
