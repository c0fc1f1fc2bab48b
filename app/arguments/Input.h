#pragma once

#include "core/image/Picture.h"
#include "core/model/InputSize.h"
#include "core/model/InputTensor.h"
#include "core/model/InputTransform.h"
#include "core/model/PictureRegion.h"

#include <string>

namespace CLI {
class App;
}

namespace softscope {

/// How a picture given on the command line becomes a network's input.
struct InputOptions {
  std::string size;              ///< `--size`: `224`, `192x256`, `full`, or empty for the model's
  bool applyOrientation = true;  ///< `--exif`
};

/// Reads `--size`; empty means the model's own. Throws UsageError.
InputSize chosenSize(const std::string& text);

/// Adds `--size` and `--exif`.
void addInputOptions(CLI::App& command, InputOptions& options);

struct Input {
  InputTensor tensor;
  /// What is shown. For a .npy tensor, the tensor with its normalisation undone.
  Picture picture;
  PictureRegion region;
};

/// Reads a picture, or a float32 .npy [1, 3, H, W] that is normalised already. Without OpenCV it
/// throws FileError for a picture.
Input readInput(const std::string& path, const InputTransform& transform,
                const InputOptions& options);

}  // namespace softscope
