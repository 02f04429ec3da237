// The system functions that the program imports, and the structures they take. One line each; the modules of
// this folder wrap them, nothing else calls them.
//
// Numbers and layouts: uofw/uofw and pspdev/pspsdk (names, argument order, flags), hrydgard/ppsspp (results),
// and what was tried in an emulator. Each structure's size is asserted: the system reads and writes them
// blindly. Every function gives 0 or a useful number >= 0, or an error code with bit 31 set (negative),
// unless said otherwise. The library of each is in imports.txt; its stub's number is made from its name
// (psp/package/nid.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pspllm::psp::api {

using Uid = std::int32_t;  ///< Identifier of a kernel object or a file; negative: an error code.

// ---- Files (IoFileMgrForUser) ----

constexpr std::int32_t open_read_only = 0x0001;
constexpr std::int32_t open_write_only = 0x0002;
constexpr std::int32_t open_append = 0x0100;
constexpr std::int32_t open_create = 0x0200;
constexpr std::int32_t open_truncate = 0x0400;
constexpr std::int32_t open_permissions = 0777;
constexpr std::int32_t seek_from_start = 0;
constexpr std::uint32_t attribute_directory = 0x0010;  ///< IoStat::attributes
constexpr std::int32_t mode_type_mask = 0xF000;        ///< IoStat::mode
constexpr std::int32_t mode_directory = 0x1000;

struct IoDateTime {
  std::uint16_t year, month, day, hour, minute, second;
  std::uint32_t microsecond;
};
static_assert(sizeof(IoDateTime) == 16);

struct IoStat {
  std::int32_t mode;
  std::uint32_t attributes;
  std::int64_t size;
  IoDateTime created, accessed, modified;
  std::uint32_t device_data[6];
};
static_assert(sizeof(IoStat) == 88 && offsetof(IoStat, size) == 8);

struct IoDirectoryEntry {
  IoStat stat;
  char name[256];
  std::uint32_t device_data;  ///< A pointer; must be zero before every read.
  std::int32_t reserved;
};
static_assert(sizeof(IoDirectoryEntry) == 352 && offsetof(IoDirectoryEntry, name) == 88);

/// What devctl 0x02425818 of "ms0:" fills in.
struct StickCapacity {
  std::uint32_t max_clusters;
  std::uint32_t free_clusters;
  std::uint32_t max_sectors;
  std::uint32_t sector_bytes;
  std::uint32_t sectors_per_cluster;
};
static_assert(sizeof(StickCapacity) == 20);
constexpr std::uint32_t devctl_stick_capacity = 0x02425818;

// ---- Pad (sceCtrl) ----

struct PadData {
  std::uint32_t time_stamp;
  std::uint32_t buttons;
  std::uint8_t analog_x, analog_y;  ///< 0..255, 128 in the middle.
  std::uint8_t reserved[6];
};
static_assert(sizeof(PadData) == 16);

struct PadLatch {
  std::uint32_t went_down;  ///< Since the last sceCtrlReadLatch.
  std::uint32_t went_up;
  std::uint32_t held;
  std::uint32_t not_held;
};
static_assert(sizeof(PadLatch) == 16);

constexpr std::int32_t pad_mode_analog = 1;

// ---- Threads and callbacks (ThreadManForUser) ----

constexpr std::uint32_t thread_attribute_user = 0x80000000;
constexpr std::uint32_t thread_attribute_vfpu = 0x00004000;

using ThreadEntry = std::int32_t (*)(std::uint32_t argument_bytes, void* arguments);
using CallbackFunction = std::int32_t (*)(std::int32_t count, std::int32_t argument, void* common);

// ---- Power (scePower, sceSuspendForUser) ----

constexpr std::int32_t power_slot_any = -1;
constexpr std::int32_t power_event_suspending = 0x00010000;
constexpr std::int32_t power_event_resuming = 0x00020000;
constexpr std::int32_t power_event_resume_complete = 0x00040000;
constexpr std::int32_t power_event_standby = 0x00080000;
constexpr std::int32_t power_tick_all = 0;

// ---- Display (sceDisplay), graphics engine (sceGe_user) ----

constexpr std::int32_t display_mode_lcd = 0;
constexpr std::int32_t pixel_format_5650 = 0;
constexpr std::int32_t swap_now = 0;
constexpr std::int32_t swap_at_vblank = 1;

// ---- Memory (SysMemUserForUser) ----

constexpr std::int32_t user_partition = 2;
constexpr std::int32_t block_low = 0;  ///< The lowest free address.

// ---- Dialogs (sceUtility) ----

constexpr std::int32_t system_param_language = 8;
constexpr std::int32_t system_param_confirm_button = 9;  ///< 0 Circle, 1 Cross.

/// What every dialog's parameters begin with.
struct DialogHeader {
  std::uint32_t size;  ///< Of the whole parameter structure.
  std::int32_t language;
  std::int32_t button_swap;  ///< As system_param_confirm_button.
  std::int32_t graphics_priority;
  std::int32_t access_priority;
  std::int32_t font_priority;
  std::int32_t sound_priority;
  std::int32_t result;
  std::int32_t reserved[4];
};
static_assert(sizeof(DialogHeader) == 48);

struct KeyboardField {
  std::int32_t reserved_0;
  std::int32_t reserved_4;
  std::int32_t language;
  std::int32_t reserved_12;
  std::int32_t input_type;  ///< 0: all kinds of characters.
  std::int32_t lines;
  std::int32_t reserved_24;
  const char16_t* description;
  const char16_t* initial_text;
  std::uint32_t output_units;  ///< Size of `output`, with the terminator.
  char16_t* output;
  std::int32_t result;        ///< 0 unchanged, 1 cancelled, 2 changed.
  std::uint32_t limit_units;  ///< Most characters that may be typed.
};
struct KeyboardParameters {
  DialogHeader header;
  std::int32_t field_count;
  KeyboardField* fields;
  std::int32_t state;
  std::int32_t reserved_60;
};
#ifdef __mips__
static_assert(sizeof(KeyboardField) == 52 && sizeof(KeyboardParameters) == 64);
#endif

enum DialogStatus : std::int32_t {
  dialog_none = 0,
  dialog_initializing = 1,
  dialog_running = 2,
  dialog_finished = 3,
  dialog_shutting_down = 4,
};
constexpr std::int32_t keyboard_unchanged = 0;
constexpr std::int32_t keyboard_cancelled = 1;
constexpr std::int32_t keyboard_changed = 2;

}  // namespace pspllm::psp::api

// NOLINTBEGIN(readability-identifier-naming): the system's own names.
extern "C" {
using pspllm::psp::api::Uid;  // NOLINT(misc-unused-using-decls)

Uid sceIoOpen(const char* path, std::int32_t flags, std::int32_t permissions);
std::int32_t sceIoClose(Uid file);
std::int32_t sceIoRead(Uid file, void* into, std::uint32_t bytes);  ///< Bytes read.
std::int32_t sceIoWrite(Uid file, const void* from,
                        std::uint32_t bytes);  ///< Bytes written; -1 on a full stick.
std::int64_t sceIoLseek(Uid file, std::int64_t offset, std::int32_t whence);
std::int32_t sceIoGetstat(const char* path, pspllm::psp::api::IoStat* stat);
std::int32_t sceIoRemove(const char* path);
std::int32_t sceIoRename(const char* from, const char* to);
std::int32_t sceIoMkdir(const char* path, std::int32_t permissions);
std::int32_t sceIoChdir(const char* path);
Uid sceIoDopen(const char* path);
std::int32_t sceIoDread(Uid folder, pspllm::psp::api::IoDirectoryEntry* entry);  ///< 1 an entry, 0 no more.
std::int32_t sceIoDclose(Uid folder);
std::int32_t sceIoDevctl(const char* device, std::uint32_t command, void* in, std::int32_t in_bytes,
                         void* out, std::int32_t out_bytes);

void sceKernelExitGame();
std::int32_t sceKernelRegisterExitCallback(Uid callback);

Uid sceKernelStdout();

Uid sceKernelCreateThread(const char* name, pspllm::psp::api::ThreadEntry entry, std::int32_t priority,
                          std::uint32_t stack_bytes, std::uint32_t attributes, void* options);
std::int32_t sceKernelStartThread(Uid thread, std::uint32_t argument_bytes, const void* arguments);
std::int32_t sceKernelExitDeleteThread(std::int32_t status);
std::int32_t sceKernelDelayThread(std::uint32_t microseconds);
std::int32_t sceKernelSleepThreadCB();
Uid sceKernelCreateCallback(const char* name, pspllm::psp::api::CallbackFunction function, void* common);
std::int32_t sceKernelNotifyCallback(Uid callback, std::int32_t argument);
std::int64_t sceKernelGetSystemTimeWide();  ///< Microseconds since the console started.

void sceKernelDcacheWritebackRange(const void* address, std::uint32_t bytes);
void sceKernelDcacheWritebackInvalidateRange(const void* address, std::uint32_t bytes);

std::int32_t sceDisplaySetMode(std::int32_t mode, std::int32_t width, std::int32_t height);
std::int32_t sceDisplaySetFrameBuf(void* address, std::int32_t stride_pixels, std::int32_t format,
                                   std::int32_t when);
std::int32_t sceDisplayWaitVblankStart();
std::uint32_t sceDisplayGetVcount();

std::int32_t sceGeListEnQueue(const void* list, void* stall, std::int32_t callback, void* options);
std::int32_t sceGeDrawSync(std::int32_t mode);

std::int32_t scePowerSetClockFrequency(std::int32_t pll, std::int32_t cpu, std::int32_t bus);
std::int32_t scePowerGetCpuClockFrequencyInt();
std::int32_t scePowerGetBusClockFrequencyInt();
std::int32_t scePowerTick(std::int32_t kind);
std::int32_t scePowerIsBatteryExist();
std::int32_t scePowerIsBatteryCharging();
std::int32_t scePowerIsPowerOnline();
std::int32_t scePowerIsLowBattery();
std::int32_t scePowerGetBatteryLifePercent();
std::int32_t scePowerGetBatteryLifeTime();  ///< Minutes.
std::int32_t scePowerRegisterCallback(std::int32_t slot, Uid callback);

std::int32_t sceCtrlSetSamplingCycle(std::int32_t cycle);
std::int32_t sceCtrlSetSamplingMode(std::int32_t mode);
std::int32_t sceCtrlPeekBufferPositive(pspllm::psp::api::PadData* data, std::int32_t count);
std::int32_t sceCtrlReadLatch(pspllm::psp::api::PadLatch* latch);

Uid sceKernelAllocPartitionMemory(std::int32_t partition, const char* name, std::int32_t type,
                                  std::uint32_t bytes, void* address);
void* sceKernelGetBlockHeadAddr(Uid block);
std::uint32_t sceKernelMaxFreeMemSize();    ///< Bytes, never an error.
std::uint32_t sceKernelTotalFreeMemSize();  ///< Bytes, never an error.

std::int32_t sceRtcGetCurrentClockLocalTime(pspllm::psp::api::IoDateTime* time);

std::int32_t sceUtilityOskInitStart(pspllm::psp::api::KeyboardParameters* parameters);
std::int32_t sceUtilityOskGetStatus();
std::int32_t sceUtilityOskUpdate(std::int32_t frames);
std::int32_t sceUtilityOskShutdownStart();
std::int32_t sceUtilityGetSystemParamInt(std::int32_t id, std::int32_t* value);
}
// NOLINTEND(readability-identifier-naming)
