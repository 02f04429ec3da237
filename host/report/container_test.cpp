#include "host/report/container.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "host/core/failure.hpp"
#include "host/formats/gguf_test_model.hpp"
#include "host/formats/safetensors_test_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {

using pspllm::testing::TemporaryFolder;

TEST_CASE("a GGUF file's metadata and tensors are listed, whatever its architecture") {
  const TemporaryFolder folder;
  testing::GgufTestFile file;
  file.add("general.architecture", std::string_view("other"));
  file.add("numbers", std::vector<float>{1.0F, 2.0F});
  file.add_tensor("first", {4, 2}, std::vector<float>(8));
  const auto container = read_container(folder.write("model.gguf", file.bytes()));
  REQUIRE(container.has_value());
  CHECK(container->kind == "GGUF version 3");
  const nlohmann::json document = container_json(*container);
  CHECK(document["metadata"]["general.architecture"] == "other");
  CHECK(document["metadata"]["numbers"] == "a list of 2");
  CHECK(document["tensors"][0]["shape"] == std::vector<int>{2, 4});
  CHECK(container_text(*container).find("2 x 4  F32") != std::string::npos);
}

TEST_CASE("a safetensors file's tensors are listed, other files are left to others") {
  const TemporaryFolder folder;
  testing::SafetensorsTestFile file;
  file.add_floats("a", {2, 3}, std::vector<float>(6));
  const auto container = read_container(folder.write("model.safetensors", file.bytes()));
  REQUIRE(container.has_value());
  CHECK(container->kind == "safetensors");
  REQUIRE(container->tensors.size() == 1);
  CHECK(container->tensors[0].bytes == 24);
  CHECK_FALSE(read_container(folder.write("other", "abc")).has_value());
  CHECK_THROWS_AS((void)read_container(folder.write("cut.gguf", file.bytes().replace(0, 4, "GGUF"))),
                  Failure);
}

}  // namespace pspllm::host
