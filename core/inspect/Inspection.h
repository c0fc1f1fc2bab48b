#pragma once

#include "core/Matrix.h"
#include "core/attention/AttentionMap.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A head's bottleneck in float64; see PreciseTensors.
struct PreciseBottleneck {
  Eigen::MatrixXd kernel;  ///< A, [m, m]
  Eigen::MatrixXd left;    ///< R of the outer factors, [m, m]: |L X R^T| is |left X right^T|
  Eigen::MatrixXd right;
};

/// What one attention layer did in one forward pass.
struct LayerInspection {
  /// The module's path in the published code, e.g. `block1.0.att.mha.attn`.
  std::string name;
  std::shared_ptr<const AttentionMap> attention;
  /// What multiplies V beside the attention: SOFT's depthwise convolution with one filter per head.
  /// Null where nothing does.
  std::shared_ptr<const AttentionMap> convolution;
  /// l1 norm over channels of each token's query and key, [heads, tokens]; empty where a mechanism
  /// has none. After SimA's normalisation for SimA, of the raw query and key otherwise.
  Matrix queryL1;
  Matrix keyL1;
  /// Per head, the landmarks' kernel A [m, m] and the iteration's result: before
  /// SOFT++ applies D^(-1/2). Empty where there is no bottleneck matrix.
  std::vector<Matrix> bottleneck;
  std::vector<Matrix> bottleneckInverse;
  /// Per head, where it was asked for.
  std::vector<PreciseBottleneck> precise;
  /// The kernel of queries and keys in whose place the landmarks stand, computed from them when it
  /// is asked for; null where there are none. Gaussian for SOFT and SOFT++ (Eq. 5 of "SOFT:
  /// Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945), the softmax for
  /// Nystromformer.
  std::shared_ptr<const AttentionMap> exactKernel;
};

/// An immutable snapshot of one forward pass on one picture.
struct Inspection {
  std::vector<LayerInspection> layers;
  /// [classes]; empty for a backbone without a head.
  std::vector<float> logits;
  /// Of a backbone without a head: all tokens after the final norm, [tokens, C]; empty otherwise.
  Matrix features;
  int inputHeight = 0;
  int inputWidth = 0;
  /// `cpu`, `cuda:0`.
  std::string device;
  /// Wall time of the forward pass, recording included.
  double seconds = 0;

  /// The layer of that name, or null.
  const LayerInspection* find(const std::string& name) const;
};

struct Prediction {
  int classIndex = 0;
  float probability = 0;
};

/// The `count` most probable classes under a softmax of the logits, most probable first.
std::vector<Prediction> topPredictions(const std::vector<float>& logits, int count);

}  // namespace softscope
