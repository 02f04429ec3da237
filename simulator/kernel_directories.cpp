// IoFileMgrForUser: directories, names, and the stick itself.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/kernel_paths.hpp"

namespace pspllm::simulator {

namespace {

// SceIoStat: mode, attributes, 64-bit size, three dates of 16 bytes, six words.
constexpr Word status_bytes = 88;
constexpr Word directory_entry_bytes = 352;
constexpr Word name_offset = 88;
constexpr std::size_t longest_name = 255;
constexpr Word mode_directory = 0x11FF;
constexpr Word mode_file = 0x21FF;
constexpr Word attribute_directory = 0x10;
constexpr Word attribute_file = 0x20;

void finish(Kernel& kernel, Word result) {
  kernel.set_result(result);
  kernel.wait_for_stick(Picoseconds{kernel.core.timing[Constant::stick_open_microseconds]} * microsecond);
}

void fill_status(std::span<Byte> to, const FileStatus& status) {
  std::fill_n(to.begin(), status_bytes, Byte{0});
  store_as(to.data(), status.is_directory ? mode_directory : mode_file);
  store_as(to.data() + 4, status.is_directory ? attribute_directory : attribute_file);
  store_as(to.data() + 8, status.size);
  // Every file is from 2026-01-01 00:00:00.
  for (std::size_t date = 16; date < 64; date += 16) {
    store_as<Half>(to.data() + date, 2026);
    store_as<Half>(to.data() + date + 2, 1);
    store_as<Half>(to.data() + date + 4, 1);
  }
}

void get_status(Kernel& kernel) {
  const LookedUp found = look_up(kernel, 0);
  if (found.problem != 0) return finish(kernel, found.problem);
  const std::span<Byte> to = kernel.buffer(kernel.argument(1), status_bytes, true);
  if (to.empty()) return kernel.set_result(result_code::illegal_pointer);
  fill_status(to, found.status);
  finish(kernel, result_code::ok);
}

void change_status(Kernel& kernel) {
  finish(kernel, look_up(kernel, 0).problem);
}

void open_directory(Kernel& kernel) {
  const LookedUp found = look_up(kernel, 0);
  if (found.problem != 0) return finish(kernel, found.problem);
  if (!found.status.is_directory) return finish(kernel, result_code::not_directory);
  Word number = 3;
  while (kernel.stick.files.contains(number) || kernel.stick.directories.contains(number)) ++number;
  OpenDirectory directory{found.path, kernel.storage.list(found.path), 0};
  if (!found.path.empty()) directory.names.insert(directory.names.begin(), {".", ".."});
  kernel.stick.directories[number] = std::move(directory);
  finish(kernel, number);
}

void read_directory(Kernel& kernel) {
  const auto found = kernel.stick.directories.find(kernel.argument(0));
  if (found == kernel.stick.directories.end()) return kernel.set_result(result_code::bad_file);
  OpenDirectory& directory = found->second;
  const std::span<Byte> to = kernel.buffer(kernel.argument(1), directory_entry_bytes, true);
  if (to.empty()) return kernel.set_result(result_code::illegal_pointer);
  if (kernel.stick.removed) return finish(kernel, result_code::no_device);
  if (directory.next >= directory.names.size()) return finish(kernel, 0);
  const std::string& name = directory.names[directory.next++];
  const bool dots = name == "." || name == "..";
  const std::string path = directory.path.empty() ? name : directory.path + "/" + name;
  fill_status(to, dots ? FileStatus{true, 0} : kernel.storage.status(path).value_or(FileStatus{}));
  const std::size_t length = std::min(name.size(), longest_name);
  std::fill_n(to.begin() + name_offset, longest_name + 1, Byte{0});
  std::copy_n(name.begin(), length, to.begin() + name_offset);
  kernel.set_result(1);
  kernel.wait_for_stick(Picoseconds{kernel.core.timing[Constant::stick_call_microseconds]} * microsecond);
}

void close_directory(Kernel& kernel) {
  const bool was_open = kernel.stick.directories.erase(kernel.argument(0)) != 0;
  kernel.set_result(was_open ? result_code::ok : result_code::bad_file);
}

// The result of a change to the storage.
Word changed(bool done) {
  return done ? result_code::ok : result_code::io_error;
}

void make_directory(Kernel& kernel) {
  const LookedUp found = look_up(kernel, 0);
  if (found.problem == 0) return finish(kernel, result_code::file_exists);
  if (found.problem != result_code::no_file || !found.parent_exists) return finish(kernel, found.problem);
  if (kernel.stick.faults.read_only) return finish(kernel, result_code::read_only);
  finish(kernel, changed(kernel.storage.make_directory(found.path)));
}

void remove_directory(Kernel& kernel) {
  const LookedUp found = look_up(kernel, 0);
  if (found.problem != 0) return finish(kernel, found.problem);
  if (!found.status.is_directory) return finish(kernel, result_code::not_directory);
  if (kernel.stick.faults.read_only) return finish(kernel, result_code::read_only);
  if (!kernel.storage.list(found.path).empty()) return finish(kernel, result_code::not_empty);
  finish(kernel, changed(kernel.storage.remove_directory(found.path)));
}

void remove(Kernel& kernel) {
  const LookedUp found = look_up(kernel, 0);
  if (found.problem != 0) return finish(kernel, found.problem);
  if (found.status.is_directory) return finish(kernel, result_code::is_directory);
  if (kernel.stick.faults.read_only) return finish(kernel, result_code::read_only);
  finish(kernel, changed(kernel.storage.remove(found.path)));
}

// As hardware does: an existing target is an error, and the file stays in its own directory whatever the
// target's is (pspautotests io/file/rename.expected).
void rename(Kernel& kernel) {
  const LookedUp from = look_up(kernel, 0);
  if (from.problem != 0) return finish(kernel, from.problem);
  const std::optional<std::string> target = kernel.string_argument(1, 1024);
  if (!target) return kernel.set_result(result_code::illegal_pointer);
  if (const std::size_t colon = target->find(':');
      colon != std::string::npos && target->substr(0, colon) != "ms0" && target->substr(0, colon) != "fatms0")
    return finish(kernel, result_code::cross_device);
  if (target->find_first_of("*?") != std::string::npos) return finish(kernel, result_code::invalid_argument);
  const std::string name = last_name_of(*target);
  const std::string directory = parent_of(from.path);
  const std::string to = directory.empty() ? name : directory + "/" + name;
  if (kernel.storage.resolve(to)) return finish(kernel, result_code::file_exists);
  if (kernel.stick.faults.read_only) return finish(kernel, result_code::read_only);
  finish(kernel, changed(kernel.storage.rename(from.path, to)));
}

void change_directory(Kernel& kernel) {
  const std::optional<std::string> given = kernel.string_argument(0, 1024);
  if (!given) return kernel.set_result(result_code::illegal_pointer);
  const StickPath path = stick_path(kernel.stick, *given);
  if (path.problem != 0) return kernel.set_result(path.problem);
  const std::optional<std::string> found = kernel.storage.resolve(path.path);
  if (!found || !kernel.storage.status(*found).value_or(FileStatus{}).is_directory)
    return kernel.set_result(result_code::no_file);
  kernel.stick.working_directory = *found;
  kernel.stick.has_working_directory = true;
  kernel.set_result(result_code::ok);
}

constexpr Word command_free_space = 0x02425818;
constexpr Word command_stick_present = 0x02025806;
constexpr Word command_fat_present = 0x02425823;
constexpr Word cluster_bytes = 32U * 1024U;
constexpr Word sector_bytes = 512;

// Clusters in all, clusters free, the same again, sector size, sectors a cluster; at the address in the input
// buffer.
void report_space(Kernel& kernel) {
  const std::optional<Word> to = kernel.read_word(kernel.argument(2));
  if (!to) return kernel.set_result(result_code::illegal_pointer);
  if (kernel.stick.removed) return kernel.set_result(result_code::no_device);
  DoubleWord space = kernel.stick.free_bytes;
  if (kernel.stick.faults.space_bytes)
    space = *kernel.stick.faults.space_bytes -
            std::min(*kernel.stick.faults.space_bytes, kernel.stick.bytes_written);
  const Word clusters = static_cast<Word>(default_free_bytes / cluster_bytes);
  const Word free_clusters = static_cast<Word>(std::min<DoubleWord>(space / cluster_bytes, clusters));
  bool written = kernel.write_word(*to, clusters);
  written = kernel.write_word(*to + 4, free_clusters) && written;
  written = kernel.write_word(*to + 8, free_clusters) && written;
  written = kernel.write_word(*to + 12, sector_bytes) && written;
  written = kernel.write_word(*to + 16, cluster_bytes / sector_bytes) && written;
  kernel.set_result(written ? result_code::ok : result_code::illegal_pointer);
}

void device_control(Kernel& kernel) {
  switch (kernel.argument(1)) {
    case command_free_space:
      return report_space(kernel);
    case command_stick_present:
    case command_fat_present:
      if (!kernel.write_word(kernel.argument(4), kernel.stick.removed ? 2 : 1))
        return kernel.set_result(result_code::illegal_pointer);
      return kernel.set_result(result_code::ok);
    default:
      return kernel.refuse(fmt::format("command {:08x} is not modelled", kernel.argument(1)));
  }
}

void synchronise(Kernel& kernel) {
  kernel.set_result(kernel.stick.removed ? result_code::no_device : result_code::ok);
}

constexpr std::string_view library = "IoFileMgrForUser";

constexpr ServiceEntry entries[] = {
    {library, "sceIoGetstat", get_status},     {library, "sceIoChstat", change_status},
    {library, "sceIoDopen", open_directory},   {library, "sceIoDread", read_directory},
    {library, "sceIoDclose", close_directory}, {library, "sceIoMkdir", make_directory},
    {library, "sceIoRmdir", remove_directory}, {library, "sceIoRemove", remove},
    {library, "sceIoRename", rename},          {library, "sceIoChdir", change_directory},
    {library, "sceIoDevctl", device_control},  {library, "sceIoSync", synchronise},
};

}  // namespace

std::span<const ServiceEntry> directory_services() {
  return entries;
}

}  // namespace pspllm::simulator
