#include "psp/package/sfo.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace pspllm::package;

TEST_CASE("PARAM.SFO reads back sorted, with the large memory asked for") {
  const auto sfo = make_param_sfo({.title = "PspLlm \xC2\xB7 stories"});
  REQUIRE_MESSAGE(sfo.ok(), sfo.error());
  const auto entries = read_param_sfo(sfo.value());
  REQUIRE_MESSAGE(entries.ok(), entries.error());
  CHECK(std::is_sorted(entries.value().begin(), entries.value().end(),
                       [](const SfoEntry& a, const SfoEntry& b) { return a.key < b.key; }));
  const auto find = [&](std::string_view key) {
    const auto found = std::find_if(entries.value().begin(), entries.value().end(),
                                    [&](const SfoEntry& entry) { return entry.key == key; });
    REQUIRE(found != entries.value().end());
    return *found;
  };
  CHECK(find("TITLE").text == "PspLlm \xC2\xB7 stories");
  CHECK(find("CATEGORY").text == "MG");
  CHECK(find("MEMSIZE").number == 1);
  CHECK(find("BOOTABLE").number == 1);
  CHECK(find("REGION").number == 0x8000);
}

TEST_CASE("The bytes of a small PARAM.SFO") {
  const auto sfo = make_param_sfo({.title = "T"});
  REQUIRE(sfo.ok());
  const Bytes& bytes = sfo.value();
  CHECK(read_u32(bytes, 0) == 0x46535000);
  CHECK(read_u32(bytes, 4) == 0x101);
  CHECK(read_u32(bytes, 16) == 9);
  CHECK(read_u32(bytes, 8) == 20 + 9 * 16);
  CHECK(read_u32(bytes, 12) % 4 == 0);
  CHECK(read_u16(bytes, 22) == 0x0404);           // BOOTABLE: a number
  CHECK(read_u16(bytes, 20 + 16 + 2) == 0x0204);  // CATEGORY: text
  CHECK(read_u32(bytes, 20 + 16 + 4) == 3);       // "MG" and its NUL
  CHECK(read_u32(bytes, 20 + 16 + 8) == 4);
}

TEST_CASE("Titles and ids that the console would not take are refused") {
  CHECK(make_param_sfo({.title = ""}).error() == "The title must have 1 to 127 bytes; this one has 0.");
  CHECK(make_param_sfo({.title = std::string(128, 'x')}).error() ==
        "The title must have 1 to 127 bytes; this one has 128.");
  CHECK(make_param_sfo({.title = "T", .disc_id = "short"}).error() ==
        "The disc id \"short\" must be nine characters A-Z and 0-9.");
}

TEST_CASE("A damaged PARAM.SFO is refused") {
  const auto sfo = make_param_sfo({.title = "T"});
  REQUIRE(sfo.ok());
  for (std::size_t size = 0; size < sfo.value().size(); ++size) {
    CHECK_FALSE(read_param_sfo(ByteView(sfo.value()).first(size)).ok());
  }
}
