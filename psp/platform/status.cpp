#include "psp/platform/status.hpp"

namespace pspllm::psp {
namespace {

struct Explanation {
  std::uint32_t code;
  std::string_view meaning;
};

/// Names and numbers: the kernel's error list as uofw/uofw and pspdev/pspsdk give it (0x8001xxxx are errno
/// numbers).
constexpr Explanation explanations[] = {
    {0x80010002, "it is not there"},
    {0x80010005, "the Memory Stick cannot be read or written (is it still in?)"},
    {0x8001000C, "the system has no memory left"},
    {0x8001000D, "access is not allowed"},
    {0x80010010, "it is in use"},
    {0x80010011, "it already exists, or the Memory Stick is write-protected"},
    {0x80010013, "there is no Memory Stick in the slot"},
    {0x80010014, "a part of its path is not a folder"},
    {0x80010015, "it is a folder"},
    {0x80010016, "the system does not accept the request"},
    {0x80010018, "too many files are open"},
    {0x8001001B, "it is too large for the Memory Stick's file system"},
    {0x8001001C, "the Memory Stick is full"},
    {0x8001001E, "the Memory Stick is write-protected"},
    {0x800200D9, "there is not enough free memory"},
    {0x80020190, "there is not enough free memory"},
    {0x80020320, "too many files are open"},
    {0x80020321, "there is no such device (is the Memory Stick in?)"},
    {0x80020323, "the file is no longer open (the console has slept, or the Memory Stick was changed)"},
    {0x8002032C, "the program's folder is not known"},
    {0x8002032D, "its name is too long"},
    {0x800001FE, "the firmware does not accept this value"},
    {0xFFFFFFFF, "the Memory Stick refused (is it full, or no longer in?)"},
};

}  // namespace

std::string_view explain_error_code(std::int32_t code) {
  for (const Explanation& explanation : explanations) {
    if (explanation.code == static_cast<std::uint32_t>(code)) return explanation.meaning;
  }
  return "the system gave no reason";
}

Status failure(std::string_view what, std::string_view subject, std::int32_t code) {
  Status status;
  status.code = code;
  status.sentence.append(what);
  if (!subject.empty()) status.sentence.append(' ').append(subject);
  status.sentence.append(": ").append(explain_error_code(code)).append(" (code ");
  status.sentence.append_hex(static_cast<std::uint32_t>(code)).append(").");
  return status;
}

Status failure_sentence(std::int32_t code, std::string_view sentence) {
  Status status;
  status.code = code;
  status.sentence.append(sentence);
  return status;
}

}  // namespace pspllm::psp
