#pragma once

#include "core/model/InputTransform.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>

namespace softscope {

/// How a file beside a checkpoint says that pictures are prepared; what it does not say is left as
/// the family has it.
struct ConfiguredTransform {
  std::optional<InputTransform::Extent> extent;
  std::optional<int> height;
  std::optional<int> width;
  std::optional<double> cropFraction;
  std::optional<InputTransform::Filter> filter;
  std::optional<std::array<float, 3>> mean;
  std::optional<std::array<float, 3>> deviation;

  /// Puts what is said into a transform.
  void applyTo(InputTransform& transform) const;
};

/// What Hugging Face's preprocessor_config.json says: `size` and `crop_size` (or `crop_pct`),
/// `resample`, `image_mean` and `image_std`.
ConfiguredTransform transformOfPreprocessor(const nlohmann::json& root);

/// What timm's `pretrained_cfg` says: `input_size`, `crop_pct`, `crop_mode`, `interpolation`,
/// `mean` and `std`.
ConfiguredTransform transformOfTimm(const nlohmann::json& pretrained);

}  // namespace softscope
