#include "psp/program/model_loader.hpp"

#include "psp/program/file_source.hpp"
#include "psp/program/speed.hpp"

namespace pspllm::psp {
namespace {

/// Both files of a model, closed at the end of the scope.
class OpenFiles {
 public:
  explicit OpenFiles(Stick& stick) : model_(stick.model_file()), tokenizer_(stick.tokenizer_file()) {}
  ~OpenFiles() {
    model_.close();
    tokenizer_.close();
  }
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  pspllm::Status open(const LoadRequest& request) {
    if (Status status = model_.open(model_path(request.program_folder, request.name)); !status.ok()) {
      return read_failed(status.sentence.view());
    }
    if (Status status = tokenizer_.open(tokenizer_path(request.program_folder, request.name)); !status.ok()) {
      return read_failed(status.sentence.view());
    }
    return {};
  }

  [[nodiscard]] EngineSources sources() {
    EngineSources sources;
    sources.model = source_of(model_);
    sources.tokenizer = source_of(tokenizer_);
    return sources;
  }

 private:
  FileReader& model_;
  FileReader& tokenizer_;
};

pspllm::Status too_big(const LoadRequest& request, const FitResult& fit) {
  return does_not_fit("the model ", title_of(request.name), " needs ", short_bytes(fit.needed_bytes).view(),
                      "B of memory even with a short context, and there are ",
                      short_bytes(request.block.size()).view(), "B; ",
                      fit.fit == Fit::needs_64_mb ? "it runs on a console with 64 MB (PSP-2000 and later)"
                                                  : "use a smaller model");
}

}  // namespace

pspllm::Status load_model(Stick& stick, const LoadRequest& request, LoadedModel& model) {
  model.ready = false;
  model.name = request.name;
  model.wanted_context = request.wanted_context;
  OpenFiles files(stick);
  if (pspllm::Status status = files.open(request); !status) return status;
  const EngineSources sources = files.sources();
  ModelFile& file = *request.scratch;
  if (pspllm::Status status = read_model_file(sources.model, file); !status) return status;
  model.fit =
      fit_model(file, sources.tokenizer.size, request.wanted_context, request.block.size(), *request.kernels);
  if (model.fit.context == 0) return too_big(request, model.fit);
  MemoryPlan plan;
  if (pspllm::Status status =
          plan_memory(file, plan_options(sources.tokenizer.size, model.fit.context), *request.kernels, plan);
      !status) {
    return status;
  }
  if (pspllm::Status status =
          load_engine(sources, file, plan, *request.kernels, request.block, request.progress, model.engine);
      !status) {
    return status;
  }
  model.ready = true;
  return {};
}

}  // namespace pspllm::psp
