#pragma once

#include "models/identify/Family.h"
#include "models/swin/SwinConfiguration.h"

#include <optional>
#include <string>

namespace softscope {

/// A Swin Transformer, or a Swin V2 of the same sizes, that was published.
struct PublishedSwin {
  const char* size;
  int channels;
  std::vector<int> depths;
  /// The shorter side that torchvision crops 224 pixels from, or 256 for Swin V2.
  int shorterSide = 224;
  int shorterSideV2 = 256;
  /// True if its windows differ from stage to stage, as in Swin S3.
  bool isS3 = false;
};

/// Returns the published network with these channels, depths and patches, or null.
const PublishedSwin* publishedSwin(const SwinConfiguration& configuration);

/// The windows that a name such as `swinv2_base_window12to16_192to256` tells.
struct NamedSwin {
  int pretrainedWindow = 0;
  int window = 0;
  int side = 0;
  std::string source;
};

/// Returns the windows that a name tells, unless the sizes are not those of the network of that
/// name.
std::optional<NamedSwin> namedSwin(const SwinConfiguration& configuration, const ModelHints& hints);

/// Returns the side of the pictures that one of timm's names ends in, such as `swin_s3_tiny_224`,
/// if it is a multiple of `unit`: the pixels on a side of the last stage's tokens. Other names end
/// in the number of an epoch or a year, and a name of a network of other sizes says nothing.
std::optional<int> namedSwinSide(const SwinConfiguration& configuration, const ModelHints& hints,
                                 int unit);

}  // namespace softscope
