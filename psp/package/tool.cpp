// pspllm-package: the steps of the console program's build that turn what the cross compiler makes into an
// EBOOT.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

#include "psp/package/font_source.hpp"
#include "psp/package/import_stubs.hpp"
#include "psp/package/pbp.hpp"
#include "psp/package/program_check.hpp"
#include "psp/package/prx.hpp"
#include "psp/package/prx_loader.hpp"

namespace {

using namespace pspllm::package;  // NOLINT(google-build-using-namespace): a program, not a header
using std::filesystem::path;

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_wrong_use = 2;

int fail(std::string_view sentence) {
  fmt::print(stderr, "pspllm-package: {}\n", sentence);
  return exit_failed;
}

ByteView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int finish(const path& out, ByteView bytes) {
  const auto error = write_file(out, bytes);
  return error ? fail(error->sentence) : exit_done;
}

/// Names the file in an error about its contents.
Failure about(const path& file, const std::string& error) {
  return Failure{fmt::format("{}: {}", file.string(), error)};
}

Result<ElfFile> read_elf(const path& file) {
  auto bytes = read_file(file);
  if (!bytes.ok()) return bytes.failure();
  auto elf = parse_elf(std::move(bytes.value()));
  if (!elf.ok()) return about(file, elf.error());
  return elf;
}

int run_stubs(const path& imports, const path& out) {
  const auto text = read_file(imports);
  if (!text.ok()) return fail(text.error());
  const auto libraries = parse_imports(text_of(text.value()));
  if (!libraries.ok()) return fail(about(imports, libraries.error()).sentence);
  return finish(out, bytes_of(assemble_stubs(libraries.value())));
}

int run_font(const path& font, const path& out) {
  const auto text = read_file(font);
  if (!text.ok()) return fail(text.error());
  const auto glyphs = parse_hex_font(text_of(text.value()));
  if (!glyphs.ok()) return fail(about(font, glyphs.error()).sentence);
  return finish(out, bytes_of(make_font_source(glyphs.value())));
}

struct EbootOptions {
  path elf;
  path out;
  path prx;
  path icon;
  path background;
  std::string title = "PspLlm";
};

int run_eboot(const EbootOptions& options) {
  const auto elf = read_elf(options.elf);
  if (!elf.ok()) return fail(elf.error());
  auto prx = make_prx(elf.value());
  if (!prx.ok()) return fail(about(options.elf, prx.error()).sentence);
  EbootContents contents;
  contents.description.title = options.title;
  for (const auto& [file, part] :
       {std::pair(&options.icon, &contents.icon), std::pair(&options.background, &contents.background)}) {
    if (file->empty()) continue;
    auto picture = read_file(*file);
    if (!picture.ok()) return fail(picture.error());
    *part = std::move(picture.value());
  }
  contents.prx = std::move(prx.value());
  const auto eboot = make_eboot(contents);
  if (!eboot.ok()) return fail(eboot.error());
  if (!options.prx.empty()) {
    const int status = finish(options.prx, contents.prx);
    if (status != exit_done) return status;
  }
  fmt::print("{}: {} bytes (program {} bytes)\n", options.out.string(), eboot.value().size(),
             contents.prx.size());
  return finish(options.out, eboot.value());
}

int run_check(const path& file) {
  const auto elf = read_elf(file);
  if (!elf.ok()) return fail(elf.error());
  const auto report = check_program(elf.value());
  if (!report.ok()) return fail(about(file, report.error()).sentence);
  for (const std::string& violation : report.value().violations) fmt::print(stderr, "{}\n", violation);
  if (report.value().violation_count != 0) {
    return fail(fmt::format("{} breaks the console's rules {} times.", file.string(),
                            report.value().violation_count));
  }
  fmt::print("{}: {} instructions, {} symbols: no heap, no doubles, every instruction exists.\n",
             file.string(), report.value().instructions, report.value().symbols);
  return exit_done;
}

int run_compare(const path& prx_file, const path& linked_file, std::uint32_t base) {
  const auto prx = read_elf(prx_file);
  if (!prx.ok()) return fail(prx.error());
  const auto linked = read_elf(linked_file);
  if (!linked.ok()) return fail(linked.error());
  const std::string difference = compare_with_static_link(prx.value(), linked.value(), base);
  if (!difference.empty()) return fail(difference);
  fmt::print("{:#010x}: equal\n", base);
  return exit_done;
}

}  // namespace

// CLI11 throws only what main catches, or on a programming error.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  CLI::App app{"Turns what the cross compiler makes into an EBOOT.PBP, and checks it.", "pspllm-package"};
  app.require_subcommand(1);
  int status = exit_wrong_use;

  path input;
  path out;
  auto* stubs = app.add_subcommand("stubs", "Import stubs (assembler source) from a table of imports");
  stubs->add_option("IMPORTS", input, "Table: one line a library: NAME FLAGS FUNCTION...")->required();
  stubs->add_option("OUT", out, "Assembler source to write")->required();
  stubs->callback([&] { status = run_stubs(input, out); });

  auto* font = app.add_subcommand("font", "C++ source of the screen font from its text file");
  font->add_option("FONT", input, "Lines of CODEPOINT:EIGHT_BYTES in hexadecimal")->required();
  font->add_option("OUT", out, "C++ source to write")->required();
  font->callback([&] { status = run_font(input, out); });

  EbootOptions options;
  auto* eboot = app.add_subcommand("eboot", "EBOOT.PBP from an ELF linked at 0 with ld -q");
  eboot->add_option("ELF", options.elf, "The linked program")->required();
  eboot->add_option("OUT", options.out, "EBOOT.PBP to write")->required();
  eboot->add_option("--title", options.title, "Title in the console's menu")->capture_default_str();
  eboot->add_option("--icon", options.icon, "ICON0, a PNG of 144 x 80");
  eboot->add_option("--background", options.background, "PIC1, a PNG of 480 x 272");
  eboot->add_option("--prx", options.prx, "Also write the PRX by itself");
  eboot->callback([&] { status = run_eboot(options); });

  auto* check =
      app.add_subcommand("check", "Proves: no heap, no doubles, no instruction that the Allegrex lacks");
  check->add_option("ELF", input, "The linked program, with its symbols")->required();
  check->callback([&] { status = run_check(input); });

  path linked;
  std::string base = "0x08804000";
  auto* compare =
      app.add_subcommand("compare", "Loads a PRX at an address and compares it with a static link there");
  compare->add_option("PRX", input, "The PRX")->required();
  compare->add_option("ELF", linked, "The same program linked at the address")->required();
  compare->add_option("--base", base, "The address")->capture_default_str();
  compare->callback([&] {
    std::uint32_t address = 0;
    if (CLI::detail::lexical_cast(base, address)) {
      status = run_compare(input, linked, address);
    } else {
      fmt::print(stderr, "pspllm-package: the address \"{}\" is not a number.\n", base);
    }
  });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_done : exit_wrong_use;
  }
  return status;
}
