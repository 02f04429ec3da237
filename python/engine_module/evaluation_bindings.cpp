#include "python/engine_module/evaluation_bindings.hpp"

#include <pybind11/stl.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/generation/prompt_text.hpp"
#include "host/report/conversation/conversation_evaluation.hpp"
#include "host/report/evaluation.hpp"
#include "python/engine_module/json_value.hpp"
#include "python/engine_module/work.hpp"

namespace pspllm::python {
namespace {

namespace py = pybind11;

/// Its key/value cache is taken over from texts in progress.
host::LoadedModel* taken_over(PythonModel* model) {
  if (model == nullptr) return nullptr;
  (void)model->claim();
  return &model->loaded();
}

py::object evaluate(PythonModel& model, PythonModel* reference, const std::string& text, std::uint32_t window,
                    bool all_tokens) {
  host::require_no_zero_byte(text, "the text");
  host::EvaluationOptions options;
  options.context = window;
  options.all_tokens = all_tokens;
  return to_python(compute(model, reference, [&] {
    return host::evaluation_json(
        host::evaluate(*taken_over(&model), taken_over(reference), text, "the text", options));
  }));
}

/// What is said, and the words of right answers.
using Prompt = std::pair<std::string, std::vector<std::string>>;

py::object evaluate_conversation(PythonModel& model, PythonModel* judge, const std::vector<Prompt>& said,
                                 const SamplerOptions& sampled, std::uint32_t turn_tokens,
                                 const std::optional<std::string>& system) {
  std::vector<host::ChatPrompt> prompts;
  for (const auto& [words, right_words] : said) {
    host::require_no_zero_byte(words, "the prompt");
    prompts.push_back({words, right_words});
  }
  return to_python(compute(model, judge, [&] {
    return host::conversation_json(host::evaluate_conversation(*taken_over(&model), taken_over(judge),
                                                               prompts, {sampled, turn_tokens, system}));
  }));
}

}  // namespace

void bind_evaluation(py::module_& module) {
  module.def("evaluate", &evaluate, py::arg("model"), py::arg("reference").none(true), py::arg("text"),
             py::arg("window"), py::arg("all_tokens"));
  module.def("evaluate_conversation", &evaluate_conversation, py::arg("model"), py::arg("judge").none(true),
             py::arg("prompts"), py::arg("sampled"), py::arg("turn_tokens"), py::arg("system"));
}

}  // namespace pspllm::python
