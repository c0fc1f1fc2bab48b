#pragma once

#include "core/attention/LandmarkChoice.h"

#include <optional>
#include <string>

namespace softscope {

/// A checkpoint and what the user says about it; everything left out is found out from the file.
struct ModelRequest {
  std::string path;
  /// A family or a published variant.
  std::optional<std::string> architecture;
  /// A mechanism instead of the one the file means.
  std::optional<std::string> attention;
  std::optional<int> heads;
  /// Landmarks instead of those that were trained.
  LandmarkChoice landmarks;
  /// `gelu` or `relu`, where the weights do not tell.
  std::optional<std::string> activation;
  /// `ema` or `raw`.
  std::optional<std::string> weights;
  std::string device = "cpu";
  /// Open it even if it has parameters that its family does not compute with.
  bool ignoresUnexpected = false;

  bool operator==(const ModelRequest&) const = default;
};

/// The request with another mechanism, and with landmarks as trained where that has none.
ModelRequest withAttention(ModelRequest request, const std::string& mechanism);

}  // namespace softscope
