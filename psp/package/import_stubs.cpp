#include "psp/package/import_stubs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "psp/package/nid.hpp"

namespace pspllm::package {
namespace {

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return words;
}

bool is_symbol(std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !word.empty() && is_letter(word[0]) &&
         std::all_of(word.begin(), word.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

bool parse_hex_word(std::string_view word, std::uint32_t& value) {
  if (word.size() < 3 || word.substr(0, 2) != "0x") return false;
  const auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
  return error == std::errc{} && end == word.data() + word.size();
}

/// Parses one line's words; empty when all is well.
std::string parse_library(const std::vector<std::string_view>& words, std::set<std::string>& seen,
                          ImportLibrary& library) {
  if (words.size() < 3) return "expected a library's name, its flags and at least one function";
  if (!parse_hex_word(words[1], library.flags)) {
    return fmt::format("the flags \"{}\" are not a hexadecimal number such as 0x40010000", words[1]);
  }
  library.name = words[0];
  library.functions.assign(words.begin() + 2, words.end());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 1) continue;
    if (!is_symbol(words[i])) return fmt::format("\"{}\" is not a name", words[i]);
    if (!seen.insert(std::string(words[i])).second) return fmt::format("\"{}\" is named twice", words[i]);
  }
  if (library.functions.size() > 0xFFFF) return "more than 65535 functions in one library";
  return {};
}

void append_marker(std::string& out, std::string_view section, std::string_view symbol) {
  out += fmt::format("    .section {},\"a\",@progbits\n    .balign 4\n    .globl {}\n{}:\n", section, symbol,
                     symbol);
}

void append_library(std::string& out, const ImportLibrary& library) {
  const std::string& name = library.name;
  out += fmt::format("\n# {}\n    .section .rodata.sceResident,\"a\",@progbits\n    .balign 4\n", name);
  out += fmt::format(".Lname_{}:\n    .asciz \"{}\"\n    .balign 4\n", name, name);
  out += fmt::format("    .section .lib.stub,\"a\",@progbits\n    .word .Lname_{}, {:#010x}\n", name,
                     library.flags);
  out += fmt::format("    .byte 5, 0\n    .short {}\n", library.functions.size());
  out += fmt::format("    .word .Lnids_{}, .Lstubs_{}\n", name, name);
  out += fmt::format("    .section .rodata.sceNid,\"a\",@progbits\n    .balign 4\n.Lnids_{}:\n", name);
  for (const std::string& function : library.functions) {
    out += fmt::format("    .word {:#010x}  # {}\n", function_nid(function), function);
  }
  out += fmt::format("    .section .sceStub.text,\"ax\",@progbits\n    .balign 4\n.Lstubs_{}:\n", name);
  for (const std::string& function : library.functions) {
    out += fmt::format("    .globl {}\n    .type {}, @function\n{}:\n    jr $ra\n    nop\n    .size {}, 8\n",
                       function, function, function, function);
  }
}

}  // namespace

Result<std::vector<ImportLibrary>> parse_imports(std::string_view text) {
  std::vector<ImportLibrary> libraries;
  std::set<std::string> seen;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min(text.substr(0, end).find('#'), end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) continue;
    ImportLibrary library;
    const std::string error = parse_library(words, seen, library);
    if (!error.empty()) return Failure{fmt::format("Imports, line {}: {}.", line_number, error)};
    libraries.push_back(std::move(library));
  }
  if (libraries.empty()) return Failure{"Imports: the table names no library."};
  return libraries;
}

std::string assemble_stubs(const std::vector<ImportLibrary>& libraries) {
  std::string out = "# Generated from a table of imports by pspllm-package stubs.\n    .set noreorder\n";
  append_marker(out, ".lib.ent.top", "__lib_ent_top");
  append_marker(out, ".lib.ent.btm", "__lib_ent_bottom");
  append_marker(out, ".lib.stub.top", "__lib_stub_top");
  append_marker(out, ".lib.stub.btm", "__lib_stub_bottom");
  for (const ImportLibrary& library : libraries) append_library(out, library);
  return out;
}

}  // namespace pspllm::package
