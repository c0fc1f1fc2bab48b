#pragma once

#include "core/image/Picture.h"
#include "core/model/InputSize.h"
#include "core/model/InputTensor.h"
#include "core/model/ModelSummary.h"
#include "core/model/PictureRegion.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// How a picture given on the command line becomes a network's input.
struct InputOptions {
  std::string size;        ///< `--size`: `224`, `192x256`, `full`, or empty for the model's
  PictureReading reading;  ///< `--exif`, `--levels`, `--page`
};

/// Reads `--size`; empty means the model's own. Throws UsageError.
InputSize chosenSize(const std::string& text);

/// Adds `--size` and those of addReadingOptions().
void addInputOptions(CLI::App& command, InputOptions& options);

/// Adds `--exif`, `--levels` and `--page`.
void addReadingOptions(CLI::App& command, PictureReading& reading);

/// Adds `--levels` and `--page`, for what is always read as published evaluations read it.
void addSampleOptions(CLI::App& command, PictureReading& reading);

struct Input {
  InputTensor tensor;
  /// What is shown; never null. For a .npy tensor, the tensor with its normalisation undone.
  std::shared_ptr<const Picture> picture;
  PictureRegion region;
};

/// Reads a picture, or a float32 .npy [1, 3, H, W] that is normalised already, for a model, and
/// says on stderr, once for a file, what of it is not shown as it is stored. While the picture of
/// an earlier call is kept, it is not read again. A recording stands for its picture. Without
/// OpenCV it throws FileError for any other picture. Without a path, a recording as the model has
/// its own picture; throws UsageError for others. Throws OtherPictureError for a recording and a
/// picture that it was not recorded on.
Input readInput(const std::string& path, const ModelSummary& model, const InputOptions& options);

/// The picture that figures without IMAGE are of: the first recording among the models that has
/// one, or else the first one's plain sheet; empty where there is no recording. Throws UsageError
/// unless all recordings have the same.
std::string pictureAmong(const std::vector<std::string>& models);

}  // namespace softscope
