#pragma once

#include "core/attention/LandmarkChoice.h"
#include "core/model/HeadCounts.h"

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
  std::optional<HeadCounts> heads;
  /// Landmarks instead of those that were trained.
  LandmarkChoice landmarks;
  // What weights do not tell, as the options of settingOptions() take it.
  std::optional<std::string> activation;
  std::optional<std::string> epsilon;
  std::optional<std::string> norm;
  std::optional<std::string> pooling;
  std::optional<std::string> mean;
  std::optional<std::string> deviation;
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
