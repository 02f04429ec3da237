// Measuring models from Python.
#pragma once

#include <pybind11/pybind11.h>

namespace pspllm::python {

/// Adds evaluate() and evaluate_conversation(), which give what `pspllm eval --json` prints.
void bind_evaluation(pybind11::module_& module);

}  // namespace pspllm::python
