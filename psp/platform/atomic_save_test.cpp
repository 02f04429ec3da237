#include "psp/platform/atomic_save.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>

using namespace pspllm::psp;

namespace {

/// A stick in memory on which the power fails after a number of changing steps, or every write fails.
class FakeStick final : public FileStore {
 public:
  std::map<std::string, std::string> files;
  int steps_until_cut = -1;     ///< -1: never.
  std::size_t capacity = 1000;  ///< Bytes; a write beyond is cut short and reported.
  bool lies_when_full = false;  ///< Reports success all the same.
  bool write_protected = false;

  Status info(const Path& path, FileInfo& info) override {
    const auto found = files.find(std::string(path.view()));
    info = {};
    info.exists = found != files.end();
    if (info.exists) info.size = found->second.size();
    return {};
  }
  Status write(const Path& path, std::span<const std::string_view> pieces) override {
    if (write_protected) return failure_sentence(error_short_write, "protected");
    std::string& file = files[std::string(path.view())];
    file.clear();
    if (!step()) return cut();
    for (const std::string_view piece : pieces) {
      for (const char byte : piece) {
        if (file.size() == capacity)
          return lies_when_full ? Status{} : failure_sentence(error_short_write, "full");
        file += byte;
        if (!step()) return cut();
      }
    }
    return {};
  }
  Status rename(const Path& from, const Path& to) override {
    if (!step()) return cut();
    if (write_protected || !files.contains(std::string(from.view())) ||
        files.contains(std::string(to.view()))) {
      return failure_sentence(error_not_open, "rename");
    }
    files[std::string(to.view())] = files[std::string(from.view())];
    files.erase(std::string(from.view()));
    return {};
  }
  Status remove(const Path& path) override {
    if (!step()) return cut();
    if (write_protected) return failure_sentence(error_not_open, "protected");
    files.erase(std::string(path.view()));
    return {};
  }

 private:
  bool step() { return steps_until_cut < 0 || steps_until_cut-- > 0; }
  static Status cut() { return failure_sentence(error_not_open, "no power"); }
};

const Path path("ms0:/state.txt");
constexpr std::string_view old_text = "the older text";
constexpr std::string_view new_pieces[] = {"the ", "newer text"};
constexpr std::string_view new_text = "the newer text";

std::optional<std::string> content(const FakeStick& stick) {
  const auto found = stick.files.find(std::string(path.view()));
  if (found == stick.files.end()) return std::nullopt;
  return found->second;
}

}  // namespace

TEST_CASE("A save replaces the file and leaves nothing beside it") {
  FakeStick stick;
  CHECK(save_atomically(stick, path, new_pieces).ok());
  CHECK(content(stick) == new_text);
  CHECK(stick.files.size() == 1);
  constexpr std::string_view third[] = {"3"};
  CHECK(save_atomically(stick, path, third).ok());
  CHECK(content(stick) == "3");
  CHECK(stick.files.size() == 1);
}

TEST_CASE(
    "Power lost after any step: the older or the newer text is there, whole, and nothing else after "
    "recovery") {
  bool finished = false;
  bool seen_old = false;
  for (int steps = 0; !finished; ++steps) {
    REQUIRE(steps < 100);
    FakeStick stick;
    stick.files[std::string(path.view())] = old_text;
    stick.steps_until_cut = steps;
    finished = save_atomically(stick, path, new_pieces).ok();
    CAPTURE(steps);
    // Power comes back; it may be lost again while recovering.
    for (int more = 0; more < 4; ++more) {
      stick.steps_until_cut = more;
      (void)recover_saved_file(stick, path);
    }
    stick.steps_until_cut = -1;
    CHECK(recover_saved_file(stick, path).ok());
    REQUIRE(content(stick).has_value());
    CHECK((content(stick) == old_text || content(stick) == new_text));
    seen_old = seen_old || content(stick) == old_text;
    CHECK(stick.files.size() == 1);
  }
  CHECK(seen_old);
}

TEST_CASE("Power lost during the very first save: the whole text or none") {
  bool finished = false;
  for (int steps = 0; !finished; ++steps) {
    REQUIRE(steps < 100);
    FakeStick stick;
    stick.steps_until_cut = steps;
    finished = save_atomically(stick, path, new_pieces).ok();
    stick.steps_until_cut = -1;
    CHECK(recover_saved_file(stick, path).ok());
    CHECK(content(stick).value_or(std::string(new_text)) == new_text);
  }
}

TEST_CASE("A full stick keeps the older text, also when it lies") {
  for (const bool lies : {false, true}) {
    FakeStick stick;
    stick.files[std::string(path.view())] = old_text;
    stick.capacity = 5;
    stick.lies_when_full = lies;
    const Status status = save_atomically(stick, path, new_pieces);
    CHECK_FALSE(status.ok());
    if (lies) {
      CHECK(status.sentence.view() ==
            "Only 5 of 14 bytes of state.txt.new reached the Memory Stick: it is full or write-protected.");
    }
    CHECK(content(stick) == old_text);
    CHECK(stick.files.size() == 1);
  }
}

TEST_CASE("A write-protected stick keeps the older text") {
  FakeStick stick;
  stick.files[std::string(path.view())] = old_text;
  stick.write_protected = true;
  CHECK_FALSE(save_atomically(stick, path, new_pieces).ok());
  CHECK(content(stick) == old_text);
}

TEST_CASE("A path without room for the suffix is refused before anything happens") {
  FakeStick stick;
  const Path long_path{std::string(max_path_bytes - 2, 'x')};
  CHECK(save_atomically(stick, long_path, new_pieces).sentence.view() ==
        "The path of the file to save is too long.");
  CHECK(stick.files.empty());
}
