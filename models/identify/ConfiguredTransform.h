#pragma once

#include "core/model/InputTransform.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The preparation of pictures that a file beside a checkpoint describes. Values that it does not
/// give stay as the family has them.
struct ConfiguredTransform {
  std::optional<InputTransform::Extent> extent;
  std::optional<int> height;
  std::optional<int> width;
  std::optional<double> cropFraction;
  std::optional<InputTransform::CropStart> cropStart;
  std::optional<InputTransform::Fit> fit;
  std::optional<InputTransform::Filter> filter;
  /// A filter (`lanczos`) that Softscope does not have, so that `filter` is not given; usually
  /// empty.
  std::string otherFilter;
  /// True if the network gets pictures with blue first; nothing if the file does not tell.
  std::optional<bool> flipsChannels;
  /// Further steps of the preparation that Softscope takes otherwise, each as the words behind the
  /// file's name: `pads pictures, which ...`.
  std::vector<std::string> notComputed;
  std::optional<std::array<float, 3>> mean;
  std::optional<std::array<float, 3>> deviation;

  /// Applies the given values to a transform.
  void applyTo(InputTransform& transform) const;

  /// Takes the filter of this name, `bicubic`, or notes that Softscope does not have it.
  void setFilter(const std::string& name);

  /// Returns every difference between what `place` says and what `used` does, each as a sentence
  /// without its full stop: `preprocessor_config.json beside the file resizes pictures with ...`.
  std::vector<std::string> doubts(const std::string& place, const InputTransform& used) const;
};

/// Reads Hugging Face's preprocessor_config.json as the class that the file names reads it, or else
/// that of networks of this `model_type`, with this class's values for keys that the file lacks.
/// Steps that change the picture and that Softscope does not compute are in `notComputed`.
ConfiguredTransform transformOfPreprocessor(const nlohmann::json& root,
                                            const std::string& modelType);

/// Reads timm's `pretrained_cfg`: `input_size`, `crop_pct`, `crop_mode`, `interpolation`, `mean`
/// and `std`.
ConfiguredTransform transformOfTimm(const nlohmann::json& pretrained);

/// Takes the size of pictures from the arguments that timm makes a network with, its `img_size`,
/// which is the only size that such a network takes unless they say that others are allowed.
void takeSizeOfTimm(const nlohmann::json& arguments, ConfiguredTransform& transform);

}  // namespace softscope
