// The module pspllm._engine. Python's side of the package (python/pspllm/) wraps it: what people call is
// documented there.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "host/core/failure.hpp"
#include "host/formats/convert.hpp"
#include "host/quantize/llama2c_q80_file.hpp"
#include "host/report/device.hpp"
#include "python/engine_module/chat_turns.hpp"
#include "python/engine_module/evaluation_bindings.hpp"
#include "python/engine_module/json_value.hpp"
#include "python/engine_module/memory_report.hpp"
#include "python/engine_module/python_model.hpp"
#include "python/engine_module/text_stream.hpp"
#include "python/engine_module/work.hpp"

namespace pspllm::python {
namespace {

namespace py = pybind11;

std::shared_ptr<PythonModel> open_model(const std::string& path, const std::string& tokenizer,
                                        std::uint32_t context, std::uint32_t batch, std::uint32_t logit_rows,
                                        std::uint32_t prompt_bytes, std::uint32_t threads,
                                        const std::string& kernels, std::uint64_t largest_block) {
  LoadOptions options;
  options.path = path;
  options.tokenizer = tokenizer;
  options.plan.context = context;
  options.plan.batch = batch;
  options.plan.logit_rows = logit_rows;
  options.plan.max_prompt_bytes = prompt_bytes;
  options.compute.threads = threads;
  options.compute.kernels = kernels;
  options.largest_block = largest_block;
  return work_on_files([&] { return std::make_shared<PythonModel>(options); });
}

/// Fills a C-contiguous float32 array [tokens, vocab_size].
void fill_logits(PythonModel& model, const std::vector<std::int32_t>& tokens, const py::buffer& array) {
  const py::buffer_info info = array.request(true);
  const std::size_t expected = tokens.size() * model.engine().config.vocab_size;
  if (info.format != py::format_descriptor<float>::format() ||
      static_cast<std::size_t>(info.size) != expected)
    throw host::Failure("logits need an array of float32, one row of the vocabulary a token");
  const std::span out(static_cast<float*>(info.ptr), expected);
  compute(model, [&] {
    model.logits(tokens, out);
    return true;
  });
}

py::dict shape_of(PythonModel& model) {
  const Engine& engine = model.engine();
  py::dict shape;
  shape["kind"] = name_of(model.loaded().file().kind);
  shape["parameters"] = engine.config.parameter_count();
  shape["vocab_size"] = engine.config.vocab_size;
  shape["seq_len"] = engine.config.seq_len;
  shape["dim"] = engine.config.dim;
  shape["hidden_dim"] = engine.config.hidden_dim;
  shape["n_layers"] = engine.config.n_layers;
  shape["n_heads"] = engine.config.n_heads;
  shape["n_kv_heads"] = engine.config.n_kv_heads;
  shape["context"] = engine.plan.options.context;
  shape["int8_cache"] = engine.plan.int8_cache;
  shape["block_bytes"] = engine.plan.total_bytes;
  return shape;
}

void bind_model(py::module_& module) {
  py::class_<PythonModel, std::shared_ptr<PythonModel>>(module, "Model")
      .def(py::init(&open_model), py::arg("path"), py::arg("tokenizer"), py::arg("context"), py::arg("batch"),
           py::arg("logit_rows"), py::arg("prompt_bytes"), py::arg("threads"), py::arg("kernels"),
           py::arg("largest_block"))
      .def("shape", &shape_of)
      .def("encode",
           [](PythonModel& model, const std::string& text) {
             return compute(model, [&] { return model.encode(text); });
           })
      .def("decode",
           [](PythonModel& model, const std::vector<std::int32_t>& tokens) {
             return compute(model, [&] { return model.decode(tokens); });
           })
      .def("fill_logits", &fill_logits, py::arg("tokens"), py::arg("array"));
}

void bind_texts(py::module_& module) {
  py::class_<TextStream>(module, "TextStream")
      .def(py::init([](const std::shared_ptr<PythonModel>& model, const std::vector<std::int32_t>& prompt,
                       const SamplerOptions& sampler, std::uint32_t steps) {
             return std::make_unique<TextStream>(model, prompt, sampler, steps);
           }),
           py::arg("model"), py::arg("prompt"), py::arg("sampler"), py::arg("steps"))
      .def("next", [](TextStream& stream) { return compute(stream.model(), [&] { return stream.next(); }); })
      .def_property_readonly("prompt_tokens", &TextStream::prompt_tokens)
      .def_property_readonly("generated_tokens", &TextStream::generated_tokens)
      .def_property_readonly("end", &TextStream::end);
  py::class_<ChatTurns>(module, "ChatTurns")
      .def(py::init<std::shared_ptr<PythonModel>, const SamplerOptions&, std::uint32_t,
                    const std::optional<std::string>&>(),
           py::arg("model"), py::arg("sampler"), py::arg("turn_tokens"), py::arg("system"))
      .def("say",
           [](ChatTurns& chat, const std::string& text, const ChatTurns::Listener& listener) {
             return compute(chat.model(), [&] { return chat.say(text, listener); });
           })
      .def("reset", &ChatTurns::reset)
      .def_property_readonly("used_tokens", &ChatTurns::used_tokens)
      .def_property_readonly("end", &ChatTurns::end);
}

void bind_sampler(py::module_& module) {
  py::class_<SamplerOptions>(module, "SamplerOptions")
      .def(py::init([](float temperature, float top_p, std::uint64_t seed, float repeat_penalty) {
             return SamplerOptions{temperature, top_p, seed, repeat_penalty};
           }),
           py::arg("temperature"), py::arg("top_p"), py::arg("seed"), py::arg("repeat_penalty"));
}

std::optional<PlannedNumbers> numbers_of(const std::string& format, std::uint32_t code_width,
                                         std::uint32_t embedding_width) {
  if (format.empty()) return std::nullopt;
  return PlannedNumbers{format_named(format), code_width, embedding_width};
}

void bind_memory(py::module_& module) {
  module.def(
      "memory_report",
      [](const std::string& path, const std::string& tokenizer, const std::string& device,
         std::uint64_t partition_bytes, std::uint32_t context, std::uint32_t batch,
         std::uint32_t prompt_bytes, const std::string& format, std::uint32_t code_width,
         std::uint32_t embedding_width) {
        MemoryRequest request{path, tokenizer, device, partition_bytes, {}, std::nullopt};
        request.plan.context = context;
        request.plan.batch = batch;
        request.plan.max_prompt_bytes = prompt_bytes;
        request.numbers = numbers_of(format, code_width, embedding_width);
        return to_python(work_on_files([&] { return memory_report(request); }));
      },
      py::arg("path"), py::arg("tokenizer"), py::arg("device"), py::arg("partition_bytes"),
      py::arg("context"), py::arg("batch"), py::arg("prompt_bytes"), py::arg("format"), py::arg("code_width"),
      py::arg("embedding_width"));
  module.attr("system_and_program_bytes") = host::unplanned_bytes;
}

void bind_files(py::module_& module) {
  module.def(
      "quantize_llama2c",
      [](const std::string& in, const std::string& out, std::uint32_t group_size) {
        const host::QuantizeReport report = work_on_files([&] {
          host::ProgressBar bar("quantising");
          return host::write_llama2c_q80(host::open_model_alone(in), out, group_size, bar);
        });
        py::dict result;
        result["bytes"] = report.bytes_out;
        result["largest_error"] = report.largest_error;
        result["root_mean_square_error"] = report.root_mean_square_error;
        return result;
      },
      py::arg("path"), py::arg("out"), py::arg("group_size"));
  module.def(
      "convert",
      [](const std::string& in, const std::string& out, const std::string& tokenizer,
         const std::string& format, std::uint32_t group_size) {
        const host::ConvertReport report = work_on_files([&] {
          host::ProgressBar bar("converting");
          return host::convert_checkpoint(host::open_checkpoint(in, tokenizer), out,
                                          {format_named(format), group_size}, bar);
        });
        py::dict result;
        result["bytes"] = report.file_bytes;
        result["largest_error"] = report.largest_error;
        result["root_mean_square_error"] = report.root_mean_square_error;
        return result;
      },
      py::arg("path"), py::arg("out"), py::arg("tokenizer"), py::arg("format"), py::arg("group_size"));
}

}  // namespace
}  // namespace pspllm::python

PYBIND11_MODULE(_engine, module) {
  module.doc() = "The engine and the host layer of PspLlm, as the package pspllm wraps them.";
  auto& failure = pybind11::register_exception<pspllm::host::Failure>(module, "Failure", PyExc_RuntimeError);
  failure.attr("__module__") = "pspllm";
  failure.doc() = "The engine cannot go on; the text is its one sentence that says why.";
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const pspllm::host::Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  pspllm::python::bind_model(module);
  pspllm::python::bind_sampler(module);
  pspllm::python::bind_texts(module);
  pspllm::python::bind_evaluation(module);
  pspllm::python::bind_memory(module);
  pspllm::python::bind_files(module);
}
