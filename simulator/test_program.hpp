#pragma once
// A PSP module made by hand, for tests: a row of kernel calls whose results it keeps. It is a real
// relocatable module with imports, so that the loader is tested too.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/elf.hpp"
#include "simulator/encode.hpp"
#include "simulator/sha1.hpp"
#include "simulator/words.hpp"

namespace pspllm::simulator {

class TestProgram {
 public:
  // An argument of a call.
  struct Argument {
    enum class Kind { number, data, result } kind = Kind::number;
    Word value = 0;
  };
  static Argument number(Word value) { return {Argument::Kind::number, value}; }
  // The address of bytes that text() or space() made.
  static Argument at(Word offset) { return {Argument::Kind::data, offset}; }
  // What an earlier call returned.
  static Argument result_of(std::size_t call) { return {Argument::Kind::result, static_cast<Word>(call)}; }

  // Bytes in the module's data; their offset.
  Word text(const std::string& value) {
    const Word offset = space(static_cast<Word>(value.size()) + 1U);
    for (std::size_t i = 0; i < value.size(); ++i)
      image_[data_begin + offset + i] = static_cast<Byte>(value[i]);
    return offset;
  }
  Word space(Word size) {
    const Word offset = data_size_;
    data_size_ = (data_size_ + size + 63U) & ~63U;
    image_.resize(data_begin + data_size_);
    return offset;
  }

  void emit(Word word) { code_.push_back(word); }

  // Adds a call; its number, by which result() finds what it returned.
  std::size_t call(const std::string& library, const std::string& name,
                   const std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) load(static_cast<Word>(encode::a0 + i), arguments[i]);
    jump_to_stub(library, name);
    const std::size_t number = calls_++;
    load_data_address(encode::t9, result_offset(number));
    emit(encode::sw(encode::v0, 0, encode::t9));
    emit(encode::sw(encode::v1, 4, encode::t9));
    return number;
  }
  // Stores a register into a result slot of its own.
  std::size_t keep(Word reg) {
    const std::size_t number = calls_++;
    load_data_address(encode::t9, result_offset(number));
    emit(encode::sw(reg, 0, encode::t9));
    return number;
  }
  void exit() {
    jump_to_stub("LoadExecForUser", "sceKernelExitGame");
    emit(encode::nop);
  }
  // The code written from here on is a function of its own (a thread, a callback); its address as an
  // argument.
  Argument begin_function() {
    return {Argument::Kind::number, static_cast<Word>(code_.size()) * 4U | code_flag};
  }
  void load(Word reg, const Argument& argument) {
    if (argument.kind == Argument::Kind::data) return load_data_address(reg, argument.value);
    if (argument.kind == Argument::Kind::result) {
      load_data_address(reg, result_offset(argument.value));
      return emit(encode::lw(reg, 0, reg));
    }
    if (argument.value >= code_flag && argument.value < code_flag + data_begin)
      return load_relocated(reg, argument.value - code_flag);
    emit(encode::lui(reg, argument.value >> 16U));
    emit(encode::ori(reg, reg, argument.value & 0xFFFFU));
  }
  // For a function written later: emits the code of `body` at the end and returns here.
  [[nodiscard]] std::size_t position() const { return code_.size(); }
  void patch(std::size_t position, Word word) { code_[position] = word; }

  // The module as a file.
  [[nodiscard]] std::vector<Byte> build();

  // Where a data offset lies in a module loaded at `base`.
  static Address address(Address base, Word offset) { return base + data_begin + offset; }
  static Address result_address(Address base, std::size_t call) { return address(base, result_offset(call)); }

 private:
  static constexpr Word stub_begin = 0x3000;
  static constexpr Word table_begin = 0x3400;
  static constexpr Word data_begin = 0x4000;
  static constexpr Word result_bytes = 0x800;  // the first of the data
  static constexpr Word code_flag = 0xC0DE0000;

  static constexpr Word result_offset(std::size_t call) { return static_cast<Word>(call) * 8U; }

  void load_data_address(Word reg, Word offset) { load_relocated(reg, data_begin + offset); }
  void load_relocated(Word reg, Word target) {
    relocations_.push_back({static_cast<Word>(code_.size()) * 4U, 5});
    emit(encode::lui(reg, (target + 0x8000U) >> 16U));
    relocations_.push_back({static_cast<Word>(code_.size()) * 4U, 6});
    emit(encode::addiu(reg, reg, as_signed(sign_extend(target & 0xFFFFU, 16))));
  }
  void jump_to_stub(const std::string& library, const std::string& name) {
    std::vector<std::string>& names = imports_[library];
    std::size_t index = 0;
    while (index < names.size() && names[index] != name) ++index;
    if (index == names.size()) names.push_back(name);
    calls_to_patch_.push_back({code_.size(), {library, index}});
    relocations_.push_back({static_cast<Word>(code_.size()) * 4U, 4});
    emit(0);
    emit(encode::nop);
  }
  void put(Word offset, Word value) { store_as(image_.data() + offset, value); }
  void put_pointer(Word offset, Word target) {
    put(offset, target);
    relocations_.push_back({offset, 2});
  }
  void write_imports();

  struct Relocation {
    Word offset;
    Word type;
  };

  std::vector<Word> code_;
  std::vector<Byte> image_ = std::vector<Byte>(data_begin + result_bytes);
  Word data_size_ = result_bytes;
  std::size_t calls_ = 0;
  std::map<std::string, std::vector<std::string>> imports_;
  std::vector<std::pair<std::size_t, std::pair<std::string, std::size_t>>> calls_to_patch_;
  std::vector<Relocation> relocations_;
};

inline void TestProgram::write_imports() {
  std::map<std::string, Word> first_stub;
  Word stub = stub_begin;
  Word entry = table_begin + 64;  // after the module information
  Word nid = entry + static_cast<Word>(imports_.size()) * 20U;
  put_pointer(table_begin + 44, entry);
  for (const auto& [library, names] : imports_) {
    first_stub[library] = stub;
    put_pointer(entry, data_begin + text(library));
    put(entry + 4, 0x40010000);
    put(entry + 8, 5U | static_cast<Word>(names.size()) << 16U);
    put_pointer(entry + 12, nid);
    put_pointer(entry + 16, stub);
    for (const std::string& name : names) {
      put(nid, nid_of(name));
      nid += 4;
      stub += 8;
    }
    entry += 20;
  }
  put_pointer(table_begin + 48, entry);
  for (const auto& [position, target] : calls_to_patch_)
    code_[position] = encode::jal(first_stub[target.first] + static_cast<Word>(target.second) * 8U);
}

inline std::vector<Byte> TestProgram::build() {
  write_imports();
  const std::string name = "test";
  for (std::size_t i = 0; i < name.size(); ++i) image_[table_begin + 4 + i] = static_cast<Byte>(name[i]);
  for (std::size_t i = 0; i < code_.size(); ++i) put(static_cast<Word>(i) * 4U, code_[i]);
  constexpr Word image_offset = 96;
  const auto image_bytes = static_cast<Word>(image_.size());
  const Word relocation_offset = image_offset + image_bytes;
  const auto relocation_size = static_cast<Word>(relocations_.size()) * 8U;
  const Word section_offset = relocation_offset + relocation_size;
  std::vector<Byte> file(section_offset + 80U);
  const auto word = [&](Word offset, Word value) { store_as(file.data() + offset, value); };
  const std::array<Word, 13> header{0x464C457F,     0x00010101, 0,          0,          0x0008FFA0, 1, 0, 52,
                                    section_offset, 0x10A23001, 0x00200034, 0x00280001, 0x00000002};
  for (Word i = 0; i < header.size(); ++i) word(i * 4U, header[i]);
  const std::array<Word, 8> segment{1,           image_offset, 0, image_offset + table_begin,
                                    image_bytes, image_bytes,  7, 64};
  for (Word i = 0; i < segment.size(); ++i) word(52U + i * 4U, segment[i]);
  std::copy(image_.begin(), image_.end(), file.begin() + image_offset);
  for (std::size_t i = 0; i < relocations_.size(); ++i) {
    word(relocation_offset + static_cast<Word>(i) * 8U, relocations_[i].offset);
    word(relocation_offset + static_cast<Word>(i) * 8U + 4U, relocations_[i].type);
  }
  word(section_offset + 44, 0x700000A0);
  word(section_offset + 56, relocation_offset);
  word(section_offset + 60, relocation_size);
  return file;
}

}  // namespace pspllm::simulator
