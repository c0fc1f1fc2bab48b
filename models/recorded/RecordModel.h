#pragma once

#include "core/Progress.h"
#include "core/image/Picture.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <memory>
#include <string>

namespace softscope {

/// The picture or input that a model is recorded on.
struct RecordedScene {
  InputTensor input;
  /// Null if there was only an input; then that is written instead.
  std::shared_ptr<const Picture> picture;
  /// The part of the picture that the input was made from.
  PictureRegion region;
};

/// Runs a model and writes what its layers compute as a recording, so that its figures can be drawn
/// without the checkpoint. Returns the number of layers. Throws FileError, and anything that a
/// forward pass throws.
std::size_t recordModel(const Model& model, const RecordedScene& scene, const std::string& path,
                        const Progress& progress = {});

}  // namespace softscope
