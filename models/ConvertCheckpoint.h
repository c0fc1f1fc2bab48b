#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace softscope {

struct ConversionOptions {
  bool half = false;                            ///< floating-point tensors become float16
  std::map<std::string, std::string> metadata;  ///< added to, and stronger than, the file's own
  std::optional<std::string> weights;           ///< `ema` or `raw`
  /// Write what the network looks like even if it has parameters of another.
  bool ignoresUnexpected = false;
};

struct ConversionResult {
  std::size_t tensors = 0;
  std::int64_t parameters = 0;
  /// Something the user should know, or empty.
  std::string note;
};

/// Writes a checkpoint's weights as .safetensors, with its metadata, and its architecture and
/// mechanism where these are certain. Throws CheckpointError, FileError.
ConversionResult convertCheckpoint(const std::string& input, const std::string& output,
                                   const ConversionOptions& options);

}  // namespace softscope
