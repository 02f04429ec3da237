// The module pspllm._simulator: the simulated console's command as a function. What people call is documented
// in python/pspllm/simulation.py.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "python/engine_module/json_value.hpp"
#include "simulator/command.hpp"

namespace pspllm::python {
namespace {

namespace py = pybind11;

py::object simulate(const std::string& program, const std::string& device, const std::string& name,
                    const std::optional<std::string>& prompt, const std::vector<std::string>& autorun,
                    const std::string& keys, const std::vector<std::string>& screenshots,
                    const std::string& switches, double max_cycles, bool profile, bool keep_stick) {
  simulator::SimulateOptions options;
  options.program = program;
  options.device = device;
  options.name = name;
  options.autorun_prompt = prompt;
  options.autorun = autorun;
  options.keys = keys;
  options.screenshots = screenshots;
  options.switches = switches;
  options.max_cycles = max_cycles;
  options.profile = profile;
  options.keep_stick = keep_stick;
  std::optional<nlohmann::json> report;
  {
    const py::gil_scoped_release release;
    report = simulator::simulate_report(options);
  }
  if (report) return to_python(*report);
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace
}  // namespace pspllm::python

PYBIND11_MODULE(_simulator, module) {
  namespace py = pybind11;
  module.doc() = "The simulator of PspLlm, as the package pspllm wraps it.";
  module.def("simulate", &pspllm::python::simulate, py::arg("program"), py::arg("device"), py::arg("name"),
             py::arg("prompt"), py::arg("autorun"), py::arg("keys"), py::arg("screenshots"),
             py::arg("switches"), py::arg("max_cycles"), py::arg("profile"), py::arg("keep_stick"));
}
