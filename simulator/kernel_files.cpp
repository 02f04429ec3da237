// IoFileMgrForUser: files. StdioForUser: standard output.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/kernel_paths.hpp"

namespace pspllm::simulator {

namespace {

constexpr Word standard_input = 0;
constexpr Word standard_output = 1;
constexpr Word standard_error = 2;
constexpr Word first_file = 3;
constexpr std::size_t most_files = 64;

void finish_open(Kernel& kernel, Word result) {
  kernel.set_result(result);
  kernel.wait_for_stick(Picoseconds{kernel.core.timing[Constant::stick_open_microseconds]} * microsecond);
}

void open(Kernel& kernel) {
  const LookedUp found = look_up(kernel, 0);
  const Word flags = kernel.argument(1);
  const bool writes = (flags & (open_flag::write | open_flag::append | open_flag::truncate)) != 0;
  if (found.problem != 0 && found.problem != result_code::no_file) return finish_open(kernel, found.problem);
  if (found.problem == 0 && found.status.is_directory) return finish_open(kernel, result_code::no_file);
  if (writes && kernel.stick.faults.read_only) return finish_open(kernel, result_code::read_only);
  if (kernel.stick.files.size() >= most_files) return finish_open(kernel, result_code::too_many_files);
  if (found.problem == 0) {
    if ((flags & open_flag::create) && (flags & open_flag::exclusive))
      return finish_open(kernel, result_code::file_exists);
    if ((flags & open_flag::truncate) && !kernel.storage.create(found.path))
      return finish_open(kernel, result_code::io_error);
  } else {
    if (!(flags & open_flag::create) || !found.parent_exists)
      return finish_open(kernel, result_code::no_file);
    if (!kernel.storage.create(found.path)) return finish_open(kernel, result_code::io_error);
  }
  Word number = first_file;
  while (kernel.stick.files.contains(number) || kernel.stick.directories.contains(number)) ++number;
  OpenFile file{found.path, flags, 0};
  if (flags & open_flag::append)
    file.position = kernel.storage.status(found.path).value_or(FileStatus{}).size;
  kernel.stick.files[number] = file;
  finish_open(kernel, number);
}

OpenFile* file_of(Kernel& kernel, unsigned i) {
  const auto found = kernel.stick.files.find(kernel.argument(i));
  return found == kernel.stick.files.end() ? nullptr : &found->second;
}

void close(Kernel& kernel) {
  const Word number = kernel.argument(0);
  if (kernel.stick.files.erase(number) != 0 || number <= standard_error)
    return kernel.set_result(result_code::ok);
  kernel.set_result(result_code::bad_file);
}

void finish_transfer(Kernel& kernel, Word result, Constant rate, DoubleWord bytes) {
  kernel.set_result(result);
  kernel.wait_for_stick(stick_time(kernel, Constant::stick_call_microseconds, rate, bytes));
}

void read(Kernel& kernel) {
  const Address address = kernel.argument(1);
  const Word size = kernel.argument(2);
  Stick& stick = kernel.stick;
  if (kernel.argument(0) == standard_input) return kernel.set_result(0);
  OpenFile* const file = file_of(kernel, 0);
  if (file == nullptr || !(file->flags & open_flag::read)) return kernel.set_result(result_code::bad_file);
  ++stick.reads;
  if (stick.removed)
    return finish_transfer(kernel, result_code::no_device, Constant::stick_read_kilobytes_per_second, 0);
  if (stick.faults.failing_read == stick.reads)
    return finish_transfer(kernel, result_code::io_error, Constant::stick_read_kilobytes_per_second, 0);
  const DoubleWord length = kernel.storage.status(file->path).value_or(FileStatus{}).size;
  DoubleWord wanted = file->position >= length ? 0 : std::min<DoubleWord>(size, length - file->position);
  if (stick.faults.short_read == stick.reads) wanted /= 2;
  const Word count = static_cast<Word>(wanted);
  if (count == 0) return finish_transfer(kernel, 0, Constant::stick_read_kilobytes_per_second, 0);
  const std::span<Byte> to = kernel.buffer(address, count, true);
  if (to.empty()) return kernel.set_result(result_code::illegal_pointer);
  const std::size_t done = kernel.storage.read(file->path, file->position, to);
  file->position += done;
  stick.bytes_read += done;
  finish_transfer(kernel, static_cast<Word>(done), Constant::stick_read_kilobytes_per_second, done);
}

// What reaches state.txt is kept for the report: it says what the program was doing when.
void note_state(Kernel& kernel, const std::string& path, std::span<const Byte> bytes) {
  constexpr std::size_t kept = 200;
  if (last_name_of(path) != "state.txt") return;
  kernel.log(fmt::format(
      "state.txt: {}",
      std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(kept, bytes.size())))));
}

void write(Kernel& kernel) {
  const Word number = kernel.argument(0);
  const Address address = kernel.argument(1);
  const Word size = kernel.argument(2);
  Stick& stick = kernel.stick;
  const std::span<Byte> from = kernel.buffer(address, size, false);
  if (number == standard_output || number == standard_error) {
    if (from.empty() && size != 0) return kernel.set_result(result_code::illegal_pointer);
    kernel.output.append(from.begin(), from.end());
    return kernel.set_result(size);
  }
  OpenFile* const file = file_of(kernel, 0);
  if (file == nullptr || !(file->flags & (open_flag::write | open_flag::append)))
    return kernel.set_result(result_code::bad_file);
  if (from.empty() && size != 0) return kernel.set_result(result_code::illegal_pointer);
  if (stick.removed)
    return finish_transfer(kernel, result_code::no_device, Constant::stick_write_kilobytes_per_second, 0);
  DoubleWord space = stick.free_bytes;
  if (stick.faults.space_bytes)
    space = *stick.faults.space_bytes - std::min(*stick.faults.space_bytes, stick.bytes_written);
  const std::size_t count = std::min<std::size_t>(size, static_cast<std::size_t>(space));
  if (count == 0 && size != 0)
    return finish_transfer(kernel, result_code::no_space, Constant::stick_write_kilobytes_per_second, 0);
  if (!kernel.storage.write(file->path, file->position, from.first(count)))
    return finish_transfer(kernel, result_code::io_error, Constant::stick_write_kilobytes_per_second, 0);
  note_state(kernel, file->path, from);
  file->position += count;
  stick.bytes_written += count;
  finish_transfer(kernel, static_cast<Word>(count), Constant::stick_write_kilobytes_per_second, count);
}

// The new position, or nothing when it would be negative or the file is not open.
std::optional<DoubleWord> seek(Kernel& kernel, SignedDoubleWord offset, Word whence) {
  OpenFile* const file = file_of(kernel, 0);
  SignedDoubleWord base = 0;
  if (whence == 1) base = static_cast<SignedDoubleWord>(file->position);
  if (whence == 2)
    base = static_cast<SignedDoubleWord>(kernel.storage.status(file->path).value_or(FileStatus{}).size);
  SignedDoubleWord position = 0;
  if (whence > 2 || __builtin_add_overflow(base, offset, &position) || position < 0) return std::nullopt;
  file->position = static_cast<DoubleWord>(position);
  return file->position;
}

void seek_wide(Kernel& kernel) {
  if (file_of(kernel, 0) == nullptr)
    return kernel.set_result64(DoubleWord{0xFFFFFFFF00000000U} | result_code::bad_file);
  kernel.set_result64(seek(kernel, static_cast<SignedDoubleWord>(kernel.argument64(2)), kernel.argument(4))
                          .value_or(~DoubleWord{0}));
}

void seek_narrow(Kernel& kernel) {
  if (file_of(kernel, 0) == nullptr) return kernel.set_result(result_code::bad_file);
  kernel.set_result(static_cast<Word>(
      seek(kernel, as_signed(kernel.argument(1)), kernel.argument(2)).value_or(~DoubleWord{0})));
}

void get_stdin(Kernel& kernel) {
  kernel.set_result(standard_input);
}
void get_stdout(Kernel& kernel) {
  kernel.set_result(standard_output);
}
void get_stderr(Kernel& kernel) {
  kernel.set_result(standard_error);
}

constexpr std::string_view files = "IoFileMgrForUser";
constexpr std::string_view stdio = "StdioForUser";

constexpr ServiceEntry entries[] = {
    {files, "sceIoOpen", open},
    {files, "sceIoClose", close},
    {files, "sceIoRead", read},
    {files, "sceIoWrite", write},
    {files, "sceIoLseek", seek_wide},
    {files, "sceIoLseek32", seek_narrow},
    {stdio, "sceKernelStdin", get_stdin},
    {stdio, "sceKernelStdout", get_stdout},
    {stdio, "sceKernelStderr", get_stderr},
};

}  // namespace

std::span<const ServiceEntry> file_services() {
  return entries;
}

}  // namespace pspllm::simulator
