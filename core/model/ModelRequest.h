#pragma once

#include "core/attention/LandmarkChoice.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The numbers of heads that a network is said to have: one number, for its last stage, or one for
/// each stage.
class HeadCounts {
 public:
  HeadCounts(int heads) : counts_{heads} {}
  /// `counts` must not be empty.
  explicit HeadCounts(std::vector<int> counts) : counts_(std::move(counts)) {}

  int last() const { return counts_.back(); }
  const std::vector<int>& counts() const { return counts_; }
  bool isOneNumber() const { return counts_.size() == 1; }
  /// Returns `4`, or `1,3,4`.
  std::string text() const;

  bool operator==(const HeadCounts&) const = default;

 private:
  std::vector<int> counts_;
};

/// Parses `4` or `1,3,4`; returns nothing for any other text, or for numbers outside 1 ... 1024.
std::optional<HeadCounts> parseHeadCounts(const std::string& text);

/// A checkpoint and what the user says about it. Everything left out is determined from the file.
struct ModelRequest {
  std::string path;
  /// A family or a published variant.
  std::optional<std::string> architecture;
  /// A mechanism to use instead of the one that the file implies.
  std::optional<std::string> attention;
  std::optional<HeadCounts> heads;
  /// Landmarks to use instead of the trained ones.
  LandmarkChoice landmarks;
  // Settings that weights do not determine, in the form that the options of settingOptions() take.
  std::optional<std::string> activation;
  std::optional<std::string> epsilon;
  std::optional<std::string> norm;
  std::optional<std::string> pooling;
  std::optional<std::string> mean;
  std::optional<std::string> deviation;
  std::optional<std::string> epsilonOfBlocks;
  std::optional<std::string> plainNorms;
  std::optional<std::string> pixels;
  std::optional<std::string> positions;
  std::optional<std::string> sines;
  std::optional<std::string> prefixPositions;
  std::optional<std::string> positionResize;
  std::optional<std::string> registers;
  std::optional<std::string> classToken;
  std::optional<std::string> stride;
  std::optional<std::string> padding;
  std::optional<std::string> tokenScale;
  std::optional<std::string> patchNorm;
  std::optional<std::string> finalNorm;
  std::optional<std::string> layerScale;
  std::optional<std::string> oneNorm;
  std::optional<std::string> firstHalf;
  std::optional<std::string> normWithoutBias;
  std::optional<std::string> normKind;
  std::optional<std::string> qkv;
  std::optional<std::string> scale;
  std::optional<std::string> queryScale;
  std::optional<std::string> iterations;
  std::optional<std::string> headActivation;
  std::optional<std::string> mlpEnd;
  std::optional<std::string> classVector;
  std::optional<std::string> part;
  std::optional<std::string> nonLocal;
  std::optional<std::string> subSample;
  std::optional<std::string> window;
  /// The size of the pictures, as `--size` gives it, if it is given together with the model. It may
  /// tell how far apart patches are.
  std::optional<std::string> size;
  /// The copy of the weights: `ema` or `raw`.
  std::optional<std::string> weights;
  /// A file that names the classes, in place of the checkpoint's own names (see nameClasses()).
  std::optional<std::string> classNames;
  std::string device = "cpu";
  /// Opens the checkpoint even if it has parameters that its family does not use.
  bool ignoresUnexpected = false;

  bool operator==(const ModelRequest&) const = default;
};

/// Returns the request with another mechanism, and with trained landmarks if that mechanism has
/// none.
ModelRequest withAttention(ModelRequest request, const std::string& mechanism);

/// Returns a request to open a model as JSON, under the names of the command line's options. The
/// path and everything that was left out are absent.
std::string requestJson(const ModelRequest& request);

/// Parses the text of requestJson(), which has no path. From any other text, takes the parts it
/// understands, which may be none.
ModelRequest requestOfJson(const std::string& text);

}  // namespace softscope
