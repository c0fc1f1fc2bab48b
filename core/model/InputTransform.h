#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// The part of the original picture that the network saw, in pixels of the original.
struct PictureRegion {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  bool operator==(const PictureRegion&) const = default;
};

/// The part of its picture that a recording's network saw.
struct RecordedPart {
  /// The part in pixels of a picture of width x height; in any other picture, the part of the same
  /// relative size.
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
    /// resize the whole picture to height / cropFraction x width / cropFraction, ignoring its
    /// proportions, and crop height x width from the centre
    SqueezedCrop,
    Whole,     ///< resize the whole picture to height x width
    Fitted,    ///< resize the whole picture to the size that `fit` finds for its proportions
    FullSize,  ///< keep the whole picture at its own size; height and width are ignored
    Recorded,  ///< feed nothing: height x width is the input size of a recording's network
  };
  enum class Filter { Bicubic, Bilinear };
  /// Where a crop from the centre begins if an odd number of pixels is left over.
  enum class CropStart {
    Rounded,  ///< as torchvision and timm round the half: to the even neighbour
    Floored,  ///< as Hugging Face's processors do
  };
  /// How Hugging Face's processors find a size that keeps a picture's proportions nearly.
  struct Fit {
    /// Sides are multiples of this, usually of the patches' side.
    int multiple = 1;
    /// If above 0, the size is the largest with so many squares of `multiple` pixels at most, as
    /// SigLIP 2's processor finds it. Otherwise one side is brought to height or width, whichever
    /// scales the picture less, and the other follows, as DPT's and Depth Anything's does.
    int mostPatches = 0;

    bool operator==(const Fit&) const = default;
  };

  Extent extent = Extent::CentreCrop;
  int height = 224;
  int width = 224;
  double cropFraction = 0.875;
  CropStart cropStart = CropStart::Rounded;
  Filter filter = Filter::Bicubic;
  /// Used only if the extent is Fitted, where height and width are those of a square picture.
  Fit fit = {};
  /// Used only if the extent is Recorded.
  RecordedPart part;
  /// Mean of each channel, red first, for values in [0, 1].
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation{0.229f, 0.224f, 0.225f};
  /// Channels of the network's input: 3, or 1 for a network of grey pictures, which takes the first
  /// mean and deviation. No picture can be prepared for any other number.
  int channels = 3;

  /// Returns true if `cropFraction` counts.
  bool crops() const { return extent == Extent::CentreCrop || extent == Extent::SqueezedCrop; }

  bool operator==(const InputTransform&) const = default;
};

/// The input of a network: one normalised picture, channels first, [channels, height, width]. A
/// recording takes no input, so its tensor has only the size.
struct InputTensor {
  int height = 0;
  int width = 0;
  std::vector<float> values;
  int channels = 3;
};

/// Returns true if the published networks of a family, ModelSummary::family, take pictures with
/// blue first. Softscope prepares every picture with red first, and these networks reverse the
/// channels themselves.
bool takesBlueFirst(const std::string& family);

/// Exchanges the first channel of an input and its last.
InputTensor withChannelsReversed(InputTensor input);

/// The picture that a recording shows its attention on: 8-bit RGB, row-major.
struct RecordedPicture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  /// False if the file has no picture, and a plain sheet replaces it.
  bool isInFile = true;
  /// True if it is drawn of an input with values that 8 bits cannot hold, so that no network may be
  /// run on it.
  bool isCut = false;
};

}  // namespace softscope
