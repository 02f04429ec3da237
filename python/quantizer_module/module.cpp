// The module pspllm._quantizer: `pspllm quantize --type codes` as a function. What people call is documented
// in python/pspllm/files.py.
#include <pybind11/pybind11.h>

#include "host/core/failure.hpp"
#include "host/quantize/model/quantize_job.hpp"
#include "python/engine_module/interrupt_guard.hpp"
#include "python/engine_module/json_value.hpp"

namespace pspllm::python {
namespace {

namespace py = pybind11;

[[noreturn]] void raise(const py::handle& type, const char* sentence) {
  PyErr_SetString(type.ptr(), sentence);
  throw py::error_already_set();
}

host::ModelReport run(const host::QuantizeJob& job) {
  const InterruptGuard guard;
  const py::gil_scoped_release release;
  return host::run_quantize_job(job);
}

py::object quantize_to_codes(const std::string& in, const std::string& out, const std::string& tokenizer,
                             const std::string& recipe, const std::string& calibration,
                             std::uint32_t calibration_tokens, std::uint32_t threads, std::uint64_t seed) {
  host::QuantizeJob job;
  job.in = in;
  job.out = out;
  job.tokenizer = tokenizer;
  job.recipe = recipe;
  job.calibration = calibration;
  job.calibration_tokens = calibration_tokens;
  job.threads = threads;
  job.seed = seed;
  try {
    return to_python(host::report_json(run(job)));
  } catch (const host::Failure& failure) {
    raise(py::module_::import("pspllm._engine").attr("Failure"), failure.what());
  } catch (const host::Interrupted& stop) {
    raise(PyExc_KeyboardInterrupt, stop.what());
  }
}

}  // namespace
}  // namespace pspllm::python

PYBIND11_MODULE(_quantizer, module) {
  namespace py = pybind11;
  module.doc() = "The quantiser of PspLlm, as the package pspllm wraps it.";
  module.def("quantize_to_codes", &pspllm::python::quantize_to_codes, py::arg("path"), py::arg("out"),
             py::arg("tokenizer"), py::arg("recipe"), py::arg("calibration"), py::arg("calibration_tokens"),
             py::arg("threads"), py::arg("seed"));
}
