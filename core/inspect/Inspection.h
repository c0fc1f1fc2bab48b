#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/GradientProductMap.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns the layer of another model that corresponds to `name` in `layers`: the one with the same
/// name, or else the one at the same relative depth. Both lists are in the order in which layers
/// run. `otherLayers` must not be empty; its first layer is the answer if `layers` is empty.
std::string linkedLayer(const std::vector<std::string>& layers, const std::string& name,
                        const std::vector<std::string>& otherLayers);

/// A head's bottleneck in float64; see PreciseTensors.
struct PreciseBottleneck {
  Eigen::MatrixXd kernel;  ///< A, [m, m]
  Eigen::MatrixXd left;    ///< R of the outer factors, [m, m]: |L X R^T| is |left X right^T|
  Eigen::MatrixXd right;
};

/// The attention of one layer in one forward pass.
struct LayerInspection {
  /// The module's path in the published code, e.g. `block1.0.att.mha.attn`.
  std::string name;
  std::shared_ptr<const AttentionMap> attention;
  /// The matrix that multiplies V beside the attention: SOFT's depthwise convolution with one
  /// filter per head. Null if there is none.
  std::shared_ptr<const AttentionMap> convolution;
  /// L1 norm over channels of each token's query and key, [heads, tokens]; empty if the mechanism
  /// has none. Taken after SimA's normalisation for SimA, otherwise from the raw query and key.
  Matrix queryL1;
  Matrix keyL1;
  /// L2 norm over channels of each row of V, [heads, keys]; empty if V was not recorded or is not
  /// of tokens.
  Matrix valueNorms;
  /// The landmarks' kernel A of each head, [m, m], and the iteration's result before SOFT++ applies
  /// D^(-1/2). Empty if there is no bottleneck matrix.
  std::vector<Matrix> bottleneck;
  std::vector<Matrix> bottleneckInverse;
  /// Bottleneck of each head in float64; empty unless requested.
  std::vector<PreciseBottleneck> precise;
  /// The exact kernel of queries and keys that the landmarks approximate, computed on demand; null
  /// if there are no landmarks. Gaussian for SOFT and SOFT++ (Eq. 5 of "SOFT: Softmax-free
  /// Transformer with Linear Complexity", 2021, arXiv 2110.11945), the softmax for Nyströmformer.
  std::shared_ptr<const AttentionMap> exactKernel;
  /// The attention times the gradient of a logit; null unless it was asked for and exists.
  std::shared_ptr<const GradientProductMap> gradientProduct;
  /// Why there is no such map whatever is asked for; empty if there is one or may be.
  std::string gradientObstacle;
};

/// An immutable snapshot of one forward pass on one picture.
struct Inspection {
  std::vector<LayerInspection> layers;
  /// Logits, [classes]; empty for a backbone without a head.
  std::vector<float> logits;
  /// All tokens of a backbone without a head after the final norm, [tokens, C]; empty if there is a
  /// head.
  Matrix features;
  int inputHeight = 0;
  int inputWidth = 0;
  /// The part of the input that the network saw, in the input's pixels; empty if it saw all of it.
  std::optional<PictureRegion> seen;
  /// Device that ran the forward pass: `cpu`, `cuda:0`.
  std::string device;
  /// Wall time of the forward pass in seconds, recording included.
  double seconds = 0;

  /// Returns the layer with this name, or null.
  const LayerInspection* find(const std::string& name) const;
  /// Returns the part of the input that the tokens' grids cover, in the input's pixels: `seen`, or
  /// all of it.
  PictureRegion covered() const;
};

struct Prediction {
  int classIndex = 0;
  float logit = 0;
  /// The softmax over all classes; empty for the only class of a network, where it would be 1 for
  /// every picture.
  std::optional<float> probability;
};

/// Returns the most probable class, counted from 0; nothing if there are no logits, or if one of
/// them is NaN.
std::optional<int> predictedClass(const std::vector<float>& logits);

/// Returns the `count` most probable classes under a softmax of the logits, most probable first.
/// Empty if there are no logits, if one of them is NaN, or if the largest is not finite: then the
/// softmax is not defined.
std::vector<Prediction> topPredictions(const std::vector<float>& logits, int count);

/// Optional parts of an inspection.
struct InspectionOptions {
  /// Also computes bottlenecks in float64, beside those in the network's own float32. Costs about
  /// as much as computing the landmarks again, and the memory of an outer factor in float64.
  bool precise = false;
  /// Also multiplies each layer's attention with the gradient of this logit, in a second forward
  /// pass and a backward one. Where a layer or the model has no such gradient, its
  /// `gradientObstacle` says why; there is no error.
  std::optional<LogitRequest> logit = {};
};

/// A function that runs a model on an input and records its attention, such as inspect().
using ModelInspector = std::function<std::shared_ptr<const Inspection>(
    const Model&, const InputTensor&, const Progress&, const InspectionOptions&)>;

}  // namespace softscope
