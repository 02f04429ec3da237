#include "simulator/report.hpp"

namespace pspllm::simulator {

std::string report_html(const Machine&, const Machine*) { return {}; }

}  // namespace pspllm::simulator
