#pragma once
// Results of kernel calls. Values as hardware returns them (pspautotests) or as PSPSDK's headers name them.
#include "simulator/words.hpp"

namespace pspllm::simulator::result_code {

constexpr Word ok = 0;
constexpr Word error = 0x80020001;
constexpr Word out_of_range = 0x800001FE;  // invalid value (power, pad)
constexpr Word invalid_mode = 0x80000107;
constexpr Word invalid_size = 0x80000104;
constexpr Word invalid_pointer = 0x80000103;
constexpr Word invalid_format = 0x80000108;
constexpr Word invalid_id = 0x80000100;
constexpr Word invalid_index = 0x80000102;
constexpr Word already = 0x80000020;
constexpr Word out_of_slots = 0x80000022;
constexpr Word not_allowed_index = 0x80000023;
constexpr Word not_found = 0x80000025;
constexpr Word no_file = 0x80010002;
constexpr Word io_error = 0x80010005;
constexpr Word file_exists = 0x80010011;
constexpr Word no_device = 0x80010013;
constexpr Word not_directory = 0x80010014;
constexpr Word is_directory = 0x80010015;
constexpr Word invalid_argument = 0x80010016;
constexpr Word too_many_files = 0x80010018;
constexpr Word no_space = 0x8001001C;
constexpr Word read_only = 0x8001001E;
constexpr Word not_empty = 0x8001005A;
constexpr Word bad_file = 0x80020323;
constexpr Word no_such_device = 0x80020321;
constexpr Word cross_device = 0x80020322;
constexpr Word no_working_directory = 0x8002032C;
constexpr Word unknown_uid = 0x800200CB;
constexpr Word illegal_pointer = 0x800200D3;
constexpr Word illegal_argument = 0x800200D2;
constexpr Word illegal_partition = 0x800200D6;
constexpr Word illegal_block_type = 0x800200D8;
constexpr Word allocation_failed = 0x800200D9;
constexpr Word illegal_alignment = 0x800200E4;
constexpr Word no_memory = 0x80020190;
constexpr Word illegal_attribute = 0x80020191;
constexpr Word illegal_entry = 0x80020192;
constexpr Word illegal_priority = 0x80020193;
constexpr Word illegal_stack_size = 0x80020194;
constexpr Word illegal_thread = 0x80020197;
constexpr Word unknown_thread = 0x80020198;
constexpr Word unknown_semaphore = 0x80020199;
constexpr Word unknown_callback = 0x800201A1;
constexpr Word dormant = 0x800201A2;
constexpr Word not_dormant = 0x800201A4;
constexpr Word not_waiting = 0x800201A6;
constexpr Word wait_timeout = 0x800201A8;
constexpr Word released = 0x800201AA;
constexpr Word semaphore_zero = 0x800201AD;
constexpr Word semaphore_overflow = 0x800201AE;
constexpr Word volatile_not_locked = 0x800201AE;
constexpr Word wait_deleted = 0x800201B5;
constexpr Word illegal_size = 0x800201BC;
constexpr Word illegal_count = 0x800201BD;
constexpr Word volatile_in_use = 0x802B0200;
constexpr Word utility_bad_size = 0x80110101;
constexpr Word utility_bad_parameter = 0x80110102;
constexpr Word utility_wrong_state = 0x80110001;

}  // namespace pspllm::simulator::result_code
