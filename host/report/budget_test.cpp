#include "host/report/budget.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace pspllm::host {
namespace {

/// A plan of two regions, `weights` and `text`, of so many bytes.
Budget budget_of(const Device& device, std::uint64_t weights, const std::string& name = "model.bin") {
  constexpr std::uint64_t text_bytes = 1024;
  MemoryPlan plan;
  for (std::size_t i = 0; i < region_count; ++i) plan.regions[i].id = static_cast<RegionId>(i);
  plan.regions[static_cast<std::size_t>(RegionId::weights)].bytes = weights;
  plan.regions[static_cast<std::size_t>(RegionId::text)].bytes = text_bytes;
  plan.total_bytes = weights + text_bytes;
  ModelFile file;
  file.config.n_heads = 1;
  return make_budget(device, name, file, plan);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a plan fits up to the last byte of the partition and not one more") {
  for (const Device& device : devices) {
    const std::uint64_t room = device.partition_bytes - unplanned_bytes - 1024;
    const Budget exact = budget_of(device, room);
    CHECK(exact.fits());
    CHECK(exact.difference() == 0);
    const Budget over = budget_of(device, room + 1);
    CHECK_FALSE(over.fits());
    CHECK(over.difference() == 1);
    CHECK(budget_json(over)["missing_bytes"] == 1);
    CHECK(budget_json(over)["free_bytes"] == 0);
    CHECK(verdict(over).find("does not fit") == 0);
  }
}

TEST_CASE("regions without bytes take no row") {
  CHECK(budget_of(devices[0], 1 << 20).rows.size() == 5);
}

TEST_CASE("the table and the page name every row, the page escapes the model's name") {
  const Budget budget = budget_of(devices[0], 1 << 20, "<model> & \"co\"");
  const std::string table = budget_table(budget);
  const std::string page = budget_html(budget);
  for (const BudgetRow& row : budget.rows) {
    CAPTURE(row.name);
    CHECK(table.find(row.name) != std::string::npos);
    CHECK(page.find("<title>" + row.name + ":") != std::string::npos);
  }
  CHECK(page.find("<model>") == std::string::npos);
  CHECK(page.find("&lt;model&gt; &amp; &quot;co&quot;") != std::string::npos);
  CHECK(count(page, "<svg") == count(page, "</svg>"));
  CHECK(count(page, "<g>") == count(page, "</g>"));
}

TEST_CASE("a page of a plan that does not fit marks the end of memory") {
  const std::string page = budget_html(budget_of(devices[0], 60 << 20));
  CHECK(page.find("end of memory") != std::string::npos);
  CHECK(page.find("class=\"fails\"") != std::string::npos);
}

}  // namespace pspllm::host
