#pragma once

#include "core/model/InputTransform.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>

namespace softscope {

/// The preparation of pictures that a file beside a checkpoint describes. Values that it does not
/// give stay as the family has them.
struct ConfiguredTransform {
  std::optional<InputTransform::Extent> extent;
  std::optional<int> height;
  std::optional<int> width;
  std::optional<double> cropFraction;
  std::optional<InputTransform::Filter> filter;
  /// A filter (`lanczos`) that Softscope does not have, so that `filter` is not given; usually
  /// empty.
  std::string otherFilter;
  /// True if the longer side is resized, and borders are added along the other: Softscope crops
  /// instead.
  bool addsBorders = false;
  std::optional<std::array<float, 3>> mean;
  std::optional<std::array<float, 3>> deviation;

  /// Applies the given values to a transform.
  void applyTo(InputTransform& transform) const;

  /// Returns ` But preprocessor_config.json resizes pictures with lanczos, ...` if pictures are
  /// resized otherwise than `file` says, namely as `used` says; empty if not.
  std::string doubt(const std::string& file, const InputTransform& used) const;
  /// Returns ` But config.json adds borders to whole pictures, ...`; empty if it does not.
  std::string doubtOfBorders(const std::string& file) const;
};

/// Reads Hugging Face's preprocessor_config.json: `size` and `crop_size` (or `crop_pct`),
/// `resample`, `image_mean` and `image_std`, as the class that the file names reads them, or else
/// that of networks of this `model_type`.
ConfiguredTransform transformOfPreprocessor(const nlohmann::json& root,
                                            const std::string& modelType);

/// Reads timm's `pretrained_cfg`: `input_size`, `crop_pct`, `crop_mode`, `interpolation`, `mean`
/// and `std`.
ConfiguredTransform transformOfTimm(const nlohmann::json& pretrained);

}  // namespace softscope
