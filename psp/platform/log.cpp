#include "psp/platform/log.hpp"

#include "psp/platform/psp_api.hpp"
#include "psp/platform/text_buffer.hpp"

namespace pspllm::psp {

void log_line(std::string_view line) {
  constexpr std::size_t max_line_bytes = 400;
  TextBuffer<max_line_bytes> text(line);
  text.append('\n');
  sceIoWrite(sceKernelStdout(), text.c_str(), static_cast<std::uint32_t>(text.size()));
}

}  // namespace pspllm::psp
