#pragma once

#include "core/model/PictureRegion.h"

#include <array>

namespace softscope {

/// The part of its picture that a recording's network saw.
struct RecordedPart {
  /// In pixels of a picture of width x height; as large a part of any other picture.
  PictureRegion region;
  int width = 0;
  int height = 0;

  bool operator==(const RecordedPart&) const = default;
};

/// How a picture becomes a network's input: the published evaluation transform (shorter side to
/// size / cropFraction, centre crop), or the whole picture at a chosen size.
struct InputTransform {
  enum class Extent {
    CentreCrop,  ///< resize the shorter side, crop height x width from the centre
    /// resize the whole picture to height / cropFraction x width / cropFraction, whatever its
    /// shape, and crop height x width from the centre
    SqueezedCrop,
    Whole,     ///< resize the whole picture to height x width
    FullSize,  ///< the whole picture, not resized; height and width are ignored
    Recorded,  ///< nothing is fed: height x width is what a recording's network was fed
  };
  enum class Filter { Bicubic, Bilinear };

  Extent extent = Extent::CentreCrop;
  int height = 224;
  int width = 224;
  double cropFraction = 0.875;
  Filter filter = Filter::Bicubic;
  /// Of Recorded alone.
  RecordedPart part;
  /// Per channel, red first, of values in [0, 1].
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation{0.229f, 0.224f, 0.225f};

  bool operator==(const InputTransform&) const = default;
};

}  // namespace softscope
