#pragma once

#include "core/image/Picture.h"
#include "core/model/InputSize.h"
#include "core/model/InputTransform.h"
#include "core/model/ModelSummary.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace softscope {

/// How a picture on the command line becomes a network's input.
struct InputOptions {
  std::string size;        ///< `--size`: `224`, `192x256`, `full`, or empty for the model's
  PictureReading reading;  ///< `--exif`, `--levels`, `--page`
};

/// Returns the size of the input that the value of `--size` asks for; an empty text means the
/// model's own size. Throws UsageError for a text that is not a size.
InputSize chosenSize(const std::string& text);

/// Adds `--size` and the options of addReadingOptions().
void addInputOptions(CLI::App& command, InputOptions& options);

/// Adds `--exif`, `--levels` and `--page`.
void addReadingOptions(CLI::App& command, PictureReading& reading);

/// Adds `--levels` and `--page`, for pictures that are always read as published evaluations read
/// them.
void addSampleOptions(CLI::App& command, PictureReading& reading);

struct Input {
  InputTensor tensor;
  /// The picture to show; never null. For a .npy tensor, the tensor with its normalisation undone.
  std::shared_ptr<const Picture> picture;
  PictureRegion region;
};

/// Reads a picture, or a normalised float32 .npy [1, 3, H, W], for a model. Reports on stderr, once
/// per file, what is not shown as it is stored. While the picture of an earlier call is kept, it is
/// not read again. A recording can be given in place of its picture. Without OpenCV, throws
/// FileError for any other picture. Without a path, uses a recording's own picture if the model is
/// a recording, and throws UsageError otherwise. Throws OtherPictureError if the model is a
/// recording of another picture.
Input readInput(const std::string& path, const ModelSummary& model, const InputOptions& options);

/// Returns the picture for figures without IMAGE: that of the first recording among the models that
/// has one, or else the first recording's plain sheet; empty if there is no recording. Throws
/// UsageError unless all recordings have the same picture.
std::string pictureAmong(const std::vector<std::string>& models);

}  // namespace softscope
