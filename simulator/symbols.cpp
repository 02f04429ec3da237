#include "simulator/symbols.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace pspllm::simulator {

namespace {

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

void SymbolTable::add(Address address, Word size, const std::string& name) {
  Symbol symbol;
  symbol.address = address;
  symbol.size = size;
  symbol.name = demangled(name);
  symbols_.push_back(std::move(symbol));
}

void SymbolTable::sort() {
  // Of several names for one address the one with a size comes first and stays.
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.size != b.size ? a.size > b.size : a.name < b.name;
  });
  std::vector<Symbol> kept;
  kept.reserve(symbols_.size());
  for (Symbol& symbol : symbols_)
    if (kept.empty() || kept.back().address != symbol.address) kept.push_back(std::move(symbol));
  symbols_ = std::move(kept);
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i].size != 0) continue;
    symbols_[i].size = i + 1 < symbols_.size() ? symbols_[i + 1].address - symbols_[i].address : 0xFFFFFFFFU;
  }
}

const SymbolTable::Symbol* SymbolTable::find(Address address) const {
  const auto after =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](Address value, const Symbol& symbol) { return value < symbol.address; });
  if (after == symbols_.begin()) return nullptr;
  const Symbol& symbol = *(after - 1);
  return address - symbol.address < symbol.size ? &symbol : nullptr;
}

std::string SymbolTable::describe(Address address) const {
  const Symbol* const symbol = find(address);
  if (symbol == nullptr) return fmt::format("{:08x}", address);
  if (address == symbol->address) return symbol->name;
  return fmt::format("{}+{:#x}", symbol->name, address - symbol->address);
}

std::string short_function_name(std::string_view name) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  if (name.starts_with('(') && !name.starts_with(unnamed)) return std::string(name);
  std::string result;
  unsigned depth = 0;  // inside <>
  while (!name.empty()) {
    if (name.starts_with(unnamed)) {
      name.remove_prefix(unnamed.size());
      continue;
    }
    const char c = name.front();
    name.remove_prefix(1);
    if (c == '<')
      ++depth;
    else if (c == '>' && depth != 0)
      --depth;
    else if (c == '(' && depth == 0)
      break;  // the parameters
    else if (c == ' ' && depth == 0)
      result.clear();  // what stood before was the return type
    else if (depth == 0)
      result += c;
  }
  return result;
}

}  // namespace pspllm::simulator
