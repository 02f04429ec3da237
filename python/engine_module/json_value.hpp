// Reports that the host layer gives as JSON, as Python's dicts and lists.
#pragma once

#include <pybind11/pybind11.h>

#include <nlohmann/json.hpp>

namespace pspllm::python {

[[nodiscard]] inline pybind11::object to_python(const nlohmann::json& value) {
  return pybind11::module_::import("json").attr("loads")(value.dump());
}

}  // namespace pspllm::python
