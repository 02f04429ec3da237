#pragma once
// Function names by address.
#include <string>
#include <string_view>
#include <vector>

#include "simulator/words.hpp"

namespace pspllm::simulator {

class SymbolTable {
 public:
  void add(Address address, Word size, const std::string& name);
  // Call after the last add(). A function without a size reaches to the next one.
  void sort();

  [[nodiscard]] bool empty() const { return symbols_.empty(); }

  struct Symbol {
    Address address = 0;
    Word size = 0;
    std::string name;  // demangled if the host can
  };
  // The function that holds `address`, or nullptr.
  [[nodiscard]] const Symbol* find(Address address) const;

  // "name+0x12", or the bare address.
  [[nodiscard]] std::string describe(Address address) const;

 private:
  std::vector<Symbol> symbols_;
};

// A function's name for a narrow column: without return type, parameters, template arguments and unnamed
// namespaces.
[[nodiscard]] std::string short_function_name(std::string_view name);

}  // namespace pspllm::simulator
