// A Python interpreter with the package's C++ modules built in: `pspllm-python -m pytest python/tests`.
#include <Python.h>

extern "C" {
PyObject* PyInit__engine();
PyObject* PyInit__quantizer();
PyObject* PyInit__simulator();
}

namespace {

// Python looks for built-in modules at the top only; the package finds them by the names it gives them.
constexpr const char* name_modules = R"(
import sys
for _name in ("_engine", "_quantizer", "_simulator"):
    sys.modules["pspllm." + _name] = __import__(_name)
)";

}  // namespace

int main(int argc, char** argv) {
  PyImport_AppendInittab("_engine", PyInit__engine);
  PyImport_AppendInittab("_quantizer", PyInit__quantizer);
  PyImport_AppendInittab("_simulator", PyInit__simulator);
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 1;
  PyStatus status = PyConfig_SetBytesArgv(&config, argc, argv);
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) Py_ExitStatusException(status);
  if (PyRun_SimpleString(name_modules) != 0) return 1;
  return Py_RunMain();
}
