#pragma once

#include "core/Setting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace softscope {

/// How much of the computer the program may use.
struct ComputeSettings {
  /// The device that models run on: `cpu`, `cuda` or `cuda:N`.
  std::string device = "cpu";
  /// Number of CPU threads; 0 for one per core.
  int threads = 0;
  /// Memory in MiB that full n x n matrices may take while costs are measured; 0 for three quarters
  /// of what is free at that time.
  int costMemory = 0;
  /// Memory in MiB that the thumbnails of a survey may take.
  int thumbnailMemory = 20;

  bool operator==(const ComputeSettings&) const = default;
};

/// True if `name` has the form of a device name, whether or not this computer has the device.
inline bool isDeviceName(const std::string& name) {
  constexpr std::string_view numbered = "cuda:";
  if (name == "cpu" || name == "cuda") return true;
  if (!name.starts_with(numbered)) return false;
  const std::string_view number = std::string_view(name).substr(numbered.size());
  return !number.empty() && number.size() <= 3 &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns ComputeSettings::costMemory in bytes, or nothing if it is 0.
inline std::optional<std::int64_t> costMemoryLimit(const ComputeSettings& settings) {
  if (settings.costMemory == 0) return std::nullopt;
  return std::int64_t{settings.costMemory} << 20;
}

inline constexpr NameSetting<ComputeSettings> deviceSetting{
    {.key = "device",
     .flag = "--device",
     .type = "D",
     .help = "cpu, cuda or cuda:N",
     .label = "Device",
     .tip = "What models run on, and costs are measured on. The open model moves at once."},
    &ComputeSettings::device,
    isDeviceName};

inline constexpr NumberSetting<ComputeSettings, int> threadsSetting{
    {.key = "threads",
     .flag = "--threads",
     .type = "N",
     .help = "CPU threads, at most one a core (default: all cores)",
     .label = "CPU threads",
     .tip = "Automatic uses every core. Takes effect with the next computation."},
    &ComputeSettings::threads,
    0,
    1024,
    1};

inline constexpr NumberSetting<ComputeSettings, int> costMemorySetting{
    {.key = "costMemory",
     .flag = "--memory",
     .type = "MIB",
     .help = "Leave out points whose n x n matrices would take more (default: three quarters of "
             "what is free)",
     .label = "Cost measurements",
     .tip = "Points whose n × n matrices would take more are left out. Automatic: three quarters "
            "of what is free."},
    &ComputeSettings::costMemory,
    0,
    1 << 20,
    1,
    " MiB"};

inline constexpr NumberSetting<ComputeSettings, int> thumbnailMemorySetting{
    {.key = "thumbnailMemory",
     .label = "Small pictures of surveys",
     .tip = "Small pictures beyond this limit are read again when needed."},
    &ComputeSettings::thumbnailMemory,
    4,
    512,
    4,
    " MiB"};

inline constexpr std::tuple computeSettings{deviceSetting, threadsSetting, costMemorySetting,
                                            thumbnailMemorySetting};

}  // namespace softscope
