#include "psp/program/model_loader.hpp"

#include "psp/program/file_source.hpp"
#include "psp/program/speed.hpp"

namespace pspllm::psp {
namespace {

/// The files of a model, closed at the end of the scope.
class OpenFiles {
 public:
  OpenFiles(Stick& stick, const LoadRequest& request) : stick_(stick), request_(request) {}
  ~OpenFiles() {
    stick_.model_file().close();
    stick_.tokenizer_file().close();
    stick_.draft_file().close();
  }
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  pspllm::Status open_model(const Path& path) { return open(stick_.model_file(), path); }
  pspllm::Status open_tokenizer() {
    return open(stick_.tokenizer_file(), tokenizer_path(folder(), request_.name));
  }
  pspllm::Status open_draft() { return open(stick_.draft_file(), draft_path(folder(), request_.name)); }

 private:
  [[nodiscard]] const Path& folder() const { return request_.program_folder; }

  static pspllm::Status open(FileReader& reader, const Path& path) {
    if (Status status = reader.open(path); !status.ok()) return read_failed(status.sentence.view());
    return {};
  }

  Stick& stick_;
  const LoadRequest& request_;
};

pspllm::Status too_big(const LoadRequest& request, const LoadedModel& model) {
  const FitResult& fit = model.fit;
  return does_not_fit("the model ", model.title.view(), " needs ", short_bytes(fit.needed_bytes).view(),
                      "B of memory even with a short context, and there are ",
                      short_bytes(request.block.size()).view(), "B; ",
                      fit.fit == Fit::needs_64_mb ? "it runs on a console with 64 MB (PSP-2000 and later)"
                                                  : "use a smaller model");
}

pspllm::Status find_chat_template(LoadedModel& model) {
  const Engine& engine = model.engine;
  if (engine.chat.empty()) return {};
  ChatTemplate& chat_template = model.chat_template.emplace();
  return read_chat_template(engine.chat, engine.config.vocab_size, chat_template);
}

}  // namespace

pspllm::Status load_model(Stick& stick, const LoadRequest& request, LoadedModel& model) {
  model.ready = false;
  model.name = request.name;
  model.wanted_context = request.wanted_context;
  model.chat_template.reset();
  const Path path = model_path(stick, request.program_folder, request.name);
  model.title = title_of(request.name, path);
  OpenFiles files(stick, request);
  EngineSources sources;
  if (pspllm::Status status = files.open_model(path); !status) return status;
  sources.model = source_of(stick.model_file());
  ModelFile& file = *request.scratch;
  if (pspllm::Status status = read_model_file(sources.model, file); !status) return status;
  model.title = title_of(request.name, path, sources.model, file);
  model.file_bytes = file.file_bytes;
  if (file.own_tokenizer_bytes() == 0) {
    if (pspllm::Status status = files.open_tokenizer(); !status) return status;
    sources.tokenizer = source_of(stick.tokenizer_file());
  }

  SideFiles sizes{sources.tokenizer.size, draft_file_bytes(stick, request.program_folder, request.name)};
  model.fit = fit_model(file, sizes, request.wanted_context, request.block.size(), *request.kernels);
  if (model.fit.context == 0) return too_big(request, model);
  if (model.fit.uses_draft) {
    if (pspllm::Status status = files.open_draft(); !status) return status;
    sources.draft_table = source_of(stick.draft_file());
  } else {
    sizes.draft_bytes = 0;
  }
  MemoryPlan plan;
  if (pspllm::Status status =
          plan_memory(file, plan_options(sizes, model.fit.context), *request.kernels, plan);
      !status) {
    return status;
  }
  if (pspllm::Status status =
          load_engine(sources, file, plan, *request.kernels, request.block, request.progress, model.engine);
      !status) {
    return status;
  }
  if (pspllm::Status status = find_chat_template(model); !status) return status;
  model.ready = true;
  return {};
}

}  // namespace pspllm::psp
