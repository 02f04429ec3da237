// pspllm pack: the folder tree that goes onto a PSP's memory stick.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "engine/model/console_batch.hpp"
#include "engine/model/draft.hpp"
#include "engine/model/fit_context.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/model_options.hpp"
#include "host/core/failure.hpp"
#include "host/core/units.hpp"
#include "host/io/atomic_file.hpp"
#include "host/io/file_source.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/progress_bar.hpp"
#include "host/model/opened_model.hpp"
#include "host/report/budget.hpp"

namespace pspllm::host {
namespace {

struct PackOptions {
  ModelOptions model;
  std::string out;
  std::string device{devices.front().name};
  std::string name;
  std::string eboot;
};

/// The EBOOT that was built together with this program: psp/EBOOT.PBP beside it.
std::filesystem::path eboot_beside_program() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path() / "psp" / "EBOOT.PBP";
}

/// Where a model lies on the stick, from the program's folder: "" for the first one, models/NAME for more.
std::filesystem::path model_folder(const std::string& name) {
  if (name.empty()) return {};
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  constexpr std::size_t longest_name = 32;
  if (name.size() > longest_name || name.front() == '.' || !std::all_of(name.begin(), name.end(), allowed)) {
    throw Failure(
        fmt::format("--name '{}' is not a folder name for a stick: use up to {} of a-z A-Z 0-9 - _ .", name,
                    longest_name),
        ExitCode::wrong_use);
  }
  return std::filesystem::path("models") / name;
}

void copy_whole(const FileSource& from, const std::filesystem::path& to) {
  constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
  std::vector<std::byte> chunk(chunk_bytes);
  AtomicFile file(to.string());
  ProgressBar bar(to.filename().string());
  const Progress progress = bar.callback();
  const ByteSource source = from.source();
  for (std::uint64_t done = 0; done < from.size();) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, from.size() - done));
    const std::span<std::byte> bytes = std::span(chunk).first(count);
    require(source.read(source.context, done, bytes), from.path());
    file.write(bytes);
    done += count;
    if (!progress(done, from.size())) throw Interrupted();
  }
  file.commit();
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

/// Takes a model of the other kind, packed there earlier, out of the new one's way.
void remove_old(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::remove(path, error)) fmt::print(stderr, "removed the old {}\n", path.string());
  if (error) throw Failure(fmt::format("cannot remove the old {}: {}", path.string(), error.message()));
}

/// The plan that the console would make, on the chosen device: with less context than the model's own where
/// there is not room for all of it. Throws Failure where it does not fit.
Budget check_fit(OpenedModel& opened, const PackOptions& options) {
  PlanOptions plan_options;
  plan_options.batch = console_prompt_batch;
  plan_options.tokenizer_file_bytes = opened.tokenizer_bytes();
  if (opened.draft_table) {
    plan_options.draft_file_bytes = opened.draft_table->size();
    plan_options.logit_rows = draft_logit_rows;
  }
  const auto device = std::find_if(devices.begin(), devices.end(),
                                   [&](const Device& candidate) { return candidate.name == options.device; });
  constexpr std::uint32_t least_context = 32;
  plan_options.context = opened.file.config.seq_len;
  const ContextFit fit = fit_context(opened.file, plan_options, std::min(least_context, plan_options.context),
                                     device->partition_bytes - unplanned_bytes, psp::vfpu_kernels());
  if (fit.context != 0) plan_options.context = fit.context;
  MemoryPlan plan;
  require(plan_memory(opened.file, plan_options, psp::vfpu_kernels(), plan), opened.model->path());
  Budget budget = make_budget(*device, options.model.model, opened.file, plan);
  if (!budget.fits()) throw Failure(options.model.model + " " + verdict(budget));
  return budget;
}

void pack(const PackOptions& options) {
  const InterruptScope interrupts;
  OpenedModel opened = open_model(options.model.model, options.model.tokenizer);
  const std::filesystem::path eboot_path =
      options.eboot.empty() ? eboot_beside_program() : std::filesystem::path(options.eboot);
  const std::filesystem::path model_path = model_folder(options.name);
  const FileSource eboot(eboot_path.string(), "PSP program (make psp builds it)");
  const Budget budget = check_fit(opened, options);

  const std::filesystem::path game = std::filesystem::path(options.out) / "PSP" / "GAME" / "PspLlm";
  const std::filesystem::path folder = game / model_path;
  make_folder(folder);
  copy_whole(eboot, game / "EBOOT.PBP");
  std::uint64_t bytes = eboot.size() + opened.model->size();
  if (opened.tokenizer == nullptr) {
    copy_whole(*opened.model, folder / "model.pspm");
    remove_old(folder / "model.bin");
    remove_old(folder / "tokenizer.bin");
  } else {
    copy_whole(*opened.model, folder / "model.bin");
    copy_whole(*opened.tokenizer, folder / "tokenizer.bin");
    remove_old(folder / "model.pspm");
    bytes += opened.tokenizer->size();
  }
  if (opened.draft_table) {
    copy_whole(*opened.draft_table, folder / "draft.bin");
    bytes += opened.draft_table->size();
  }
  fmt::print("{}: {} in all; {}, with a context of {} of the model's {} tokens\n", game.string(),
             binary_size(bytes), verdict(budget), budget.context, opened.file.config.seq_len);
  fmt::print(
      "To install: connect the PSP (or put its memory stick into a card reader) and copy the folder PSP from "
      "{} to the "
      "stick's top level. The console needs custom firmware; the program then is under Game > Memory "
      "Stick.\n",
      options.out);
}

}  // namespace

void add_pack_command(CLI::App& app) {
  auto options = std::make_shared<PackOptions>();
  CLI::App& command = *app.add_subcommand("pack", "Make the folder tree for a PSP's memory stick");
  command.footer("Exit code 1 where the model does not fit the device.");
  add_model_options(command, options->model);
  command.add_option("--out", options->out, "folder that stands for the stick; made if absent")
      ->required()
      ->type_name("DIR");
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const Device& device : devices) names.emplace_back(device.name);
  command.add_option("--device", options->device, "the console it has to fit")
      ->check(CLI::IsMember(names))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--name", options->name,
                  "put the model under models/NAME, beside others; empty: the main model")
      ->type_name("NAME");
  command.add_option("--eboot", options->eboot, "the PSP program")
      ->type_name("FILE")
      ->default_str("psp/EBOOT.PBP beside pspllm");
  command.callback([options] { pack(*options); });
}

}  // namespace pspllm::host
