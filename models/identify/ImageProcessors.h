#pragma once

#include "core/model/InputTransform.h"

#include <string>
#include <string_view>

namespace softscope {

/// A class of Hugging Face's library that prepares pictures, with the values that it has for keys
/// which a file leaves out.
struct ImageProcessor {
  /// The name without its ending: `CLIP` for CLIPImageProcessor, CLIPImageProcessorFast and
  /// CLIPFeatureExtractor.
  std::string_view name;
  /// The side of a square, or the length of the shorter side; 0 if there is no usual size.
  int size = 0;
  /// True if `size` as one number is the shorter side, so that proportions are kept.
  bool keepsProportions = false;
  /// The side of the crop, where pictures are cropped; 0 if the class never crops.
  int crop = 0;
  /// True if pictures are cropped unless the file says otherwise.
  bool crops = false;
  InputTransform::Filter filter = InputTransform::Filter::Bicubic;
  /// One of pixelNorms().
  const char* norm = "half";
};

/// Returns the class with this name, or null if Softscope does not know how it prepares pictures.
const ImageProcessor* findImageProcessor(const std::string& className);

/// Returns the class that the library takes for networks of a `model_type` if no file names one;
/// null if unknown.
const ImageProcessor* imageProcessorOf(const std::string& modelType);

}  // namespace softscope
