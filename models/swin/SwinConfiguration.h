#pragma once

#include "core/attention/TokenGrid.h"
#include "models/identify/Family.h"
#include "models/layers/MapPooling.h"
#include "models/layers/Products.h"
#include "models/swin/SwinNames.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

struct SwinStage {
  int channels = 0;
  int inner = 0;  ///< channels of queries, keys and values
  int heads = 1;
  int depth = 0;
  int hidden = 0;
  /// The window of blocks on a grid that is not smaller.
  TokenGrid window{7, 7};
  /// Rows of the table of biases, or of Swin V2's stored positions; 0 where it computes these.
  int table = 0;
  /// Side of the windows that Swin V2's biases were trained with; 0 if it is the window itself.
  int pretrainedWindow = 0;
};

/// Sizes of a Swin Transformer. Names and shapes determine all of them but the windows of Swin V2,
/// the epsilon and the activation.
struct SwinConfiguration {
  SwinNames names;
  bool isV2 = false;
  int patch = 4;
  std::vector<SwinStage> stages;
  bool hasEmbeddingNorm = true;
  bool hasNorm = true;
  bool hasQueryBias = true;
  /// Hidden channels of Swin V2's position network.
  int positionChannels = 512;
  /// True if Swin V2's positions are in the file, as torchvision and its authors store them.
  bool hasCoordinates = false;
  /// True if the windows of Swin V2 are those of an index of pairs of places in the file.
  bool hasIndex = false;
  /// Number of absolute positions; 0 if there are none.
  int positions = 0;
  int classes = 0;
  /// Epsilon of the norms; in Hugging Face's library, of those in blocks and of the last.
  double epsilon = 1e-5;
  Activation activation = Activation::Gelu;
  MapPooling pooling = MapPooling::Mean;
  /// The picture that the network was made for.
  int imageHeight = 224;
  int imageWidth = 224;
  /// Windows and their shifts stay as they are on grids that have room for one window alone, as
  /// with timm's `always_partition` and in MaskFormer's Swin.
  bool alwaysPartitions = false;
  /// timm's `dynamic_img_size`: windows are those of the picture that the network was made for.
  bool keepsWindows = false;
};

/// Reads the sizes of a Swin Transformer from names and shapes, and from the files beside it what
/// it was made for: the picture, and Swin V2's windows. Throws ModelError if they do not suffice.
SwinConfiguration readSwin(const StateDict& state, const ModelHints& hints);

/// Reads numbers such as `7,7,14,7`; empty if any is not in [0, 8192].
std::vector<int> listedSwinNumbers(const std::string& text);

/// Returns config.json's content if it describes this network; otherwise null.
const ConfigurationFile* swinFile(const SwinConfiguration& configuration, const ModelHints& hints);

/// The window of Swin V2's first stage according to what is beside the weights.
struct SaidSwinWindow {
  std::optional<int> window;
  std::string source;  ///< `from config.json`
};

/// Returns the window that the file's index, config.json or a name tells; readSwin() has used it
/// already.
SaidSwinWindow saidSwinWindow(const SwinConfiguration& configuration, const ModelHints& hints);

}  // namespace softscope
