#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/tokens/TokenMap.h"
#include "core/image/Picture.h"
#include "widgets/workspace/OpenedModel.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A picture that the user keeps beside the present one, and how it was read: a page of a file is
/// another picture than the next page.
struct KeptPicture {
  std::string path;
  PictureReading reading;

  bool operator==(const KeptPicture&) const = default;
};

/// Returns true if reading the file in this way gives the picture that `source` describes.
bool areReadAlike(PictureReading reading, const PictureSource& source);

/// Returns the pictures that `settings` keep. One whose reading is not known is read like
/// `present`.
std::vector<KeptPicture> keptPictures(const TokenSettings& settings, const PictureReading& present);

/// Returns the kept pictures that are not the present one.
std::vector<KeptPicture> otherPictures(const TokenSettings& settings, const Picture& present);

/// Returns what pictures are called among several: as in pictureNames(), with the page if several
/// are pages of one file.
std::vector<std::string> namesOfPictures(const std::vector<KeptPicture>& pictures);

/// The pictures that are kept, and the models that are run on them.
struct KeptSubject {
  std::vector<KeptPicture> pictures;
  std::vector<std::shared_ptr<const Model>> models;
  std::vector<InputSize> sizes;
  /// The fileStamp() of each picture: a file may hold another picture by now, or be gone.
  std::vector<std::string> stamps = {};

  bool operator==(const KeptSubject&) const = default;
};

/// The tokens of models on kept pictures.
struct KeptTokens {
  /// One model on one picture.
  struct Run {
    KeptPicture of;
    std::shared_ptr<const Picture> picture;
    std::shared_ptr<const Model> model;
    std::shared_ptr<const TokenInspection> tokens;
    /// The part of the picture that the model saw.
    PictureRegion region;
  };
  std::vector<Run> runs;
  /// Why there are none; empty if there are.
  std::string obstacle;

  /// Returns the tokens of a layer of a model on a picture, which goes by `name`.
  AnalysedTokens tokensOf(const AnalysedLayer& layer, const Model* model,
                          const KeptPicture& picture, const std::string& name) const;
};

/// Returns what runs the open models on the pictures that are kept; the function returned runs on
/// the worker.
std::function<KeptTokens(const Progress&)> keptRuns(const KeptSubject& subject,
                                                    const Engine& engine);

}  // namespace softscope
