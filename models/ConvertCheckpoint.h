#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace softscope {

struct ConversionOptions {
  bool half = false;                            ///< convert floating-point tensors to float16
  std::map<std::string, std::string> metadata;  ///< overrides the file's own
  std::optional<std::string> weights;           ///< copy of the weights: `ema` or `raw`
  /// A file that names the classes (see nameClasses()).
  std::optional<std::string> classNames;
  /// Records the apparent architecture even if the file has parameters of another network.
  bool ignoresUnexpected = false;
};

struct ConversionResult {
  std::size_t tensors = 0;
  std::int64_t parameters = 0;
  /// A note for the user, or empty.
  std::string note;
};

/// Writes a checkpoint's weights as .safetensors, with its metadata, and with its architecture and
/// mechanism if these are certain. Throws CheckpointError and FileError.
ConversionResult convertCheckpoint(const std::string& input, const std::string& output,
                                   const ConversionOptions& options);

}  // namespace softscope
