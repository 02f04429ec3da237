#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "bench/psp_measured.hpp"
#include "simulator/timing_constants.hpp"

namespace pspllm::simulator {
namespace {

constexpr std::string_view token = ", a token";

/// What a kernel's cycles are divided by.
struct Unit {
  std::string_view name;
  double amount = 1;
};

/// By the kernel's name: "matmul_q80 768x288 8 tokens", "rmsnorm 288", "decode, a token".
Unit unit_of(const std::string& kernel) {
  if (kernel.ends_with(token)) return {"tokens/s"};
  unsigned a = 1;
  unsigned b = 1;
  unsigned tokens = 1;
  const std::size_t at = kernel.find(' ');
  const int found =
      at == std::string::npos ? 0 : std::sscanf(kernel.c_str() + at, " %ux%u %u", &a, &b, &tokens);
  const std::string_view name = found > 1 ? "weight" : kernel.ends_with("positions") ? "position" : "element";
  return {name, static_cast<double>(a) * b * tokens};
}

std::optional<double> cycles_of(const std::vector<Measured>& measured, std::string_view set,
                                const std::string& kernel) {
  const auto found = std::find_if(measured.begin(), measured.end(), [&](const Measured& one) {
    return one.set == set && one.kernel == kernel;
  });
  if (found == measured.end()) return std::nullopt;
  return static_cast<double>(found->cycles);
}

/// Cycles a unit, or tokens a second; nothing where there is no figure.
std::string figure(std::optional<double> cycles, const Unit& unit) {
  if (!cycles) return "";
  if (unit.name == "tokens/s") return fmt::format("{:.2f}", modelled_megahertz * 1e6 / *cycles);
  return fmt::format("{:.2f}", *cycles / unit.amount);
}

std::string times(std::optional<double> slower, double cycles) {
  return slower ? fmt::format("{:.1f}", *slower / cycles) : "";
}

constexpr std::string_view row_format = "{:<30} {:<9} {:>9} {:>9} {:>8} {:>10} {:>8} {:>8} {:>10} {:>9}\n";

}  // namespace

void print_table(const Figures& figures) {
  fmt::print("modelled, PSP at {:.0f}/166 MHz, cycles a unit or tokens/s\n", modelled_megahertz);
  fmt::print(fmt::runtime(row_format), "kernel", "unit", "reference", "portable", "VFPU", "optimistic",
             "issue", "memory", "x reference", "x portable");
  const double fill_cycles = conservative_timing()[Constant::fill_sequential_cycles];
  for (const Measured& one : figures.conservative) {
    if (one.set != "vfpu") continue;
    const Unit unit = unit_of(one.kernel);
    const auto cycles = static_cast<double>(one.cycles);
    const auto fills = static_cast<double>(one.line_fills) * fill_cycles;
    const std::optional<double> reference = cycles_of(figures.conservative, "reference", one.kernel);
    const std::optional<double> portable = cycles_of(figures.conservative, "portable", one.kernel);
    fmt::print(
        fmt::runtime(row_format), one.kernel, unit.name, figure(reference, unit), figure(portable, unit),
        figure(cycles, unit), figure(cycles_of(figures.optimistic, "vfpu", one.kernel), unit),
        figure(cycles_of(figures.issue, "vfpu", one.kernel), unit),
        one.line_fills == 0 ? "0" : figure(fills, unit), times(reference, cycles), times(portable, cycles));
  }
}

}  // namespace pspllm::simulator
