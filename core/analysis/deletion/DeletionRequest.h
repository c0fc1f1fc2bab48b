#pragma once

#include "core/Progress.h"
#include "core/analysis/deletion/ProbabilityCurve.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

/// The replacement for a patch that is removed.
enum class PatchRemoval {
  MeanColor,  ///< the data set's mean colour, which is 0 in the network's input
  Blur,       ///< the picture, blurred so that nothing of a patch's size remains
  /// pixels interpolated linearly from those around the patch, with a little noise (ROAD)
  Imputation,
  Tokens,  ///< nothing: its token is left out, where a network computes with any of its tokens
};

/// Settings of the measurement of how faithful maps are.
struct DeletionSettings {
  PatchRemoval removal = PatchRemoval::MeanColor;
  /// The class whose probability is followed, from 0; if empty, the predicted class.
  std::optional<int> classIndex;
  /// The number of parts in which the patches are removed.
  int steps = 20;
  /// The side of a patch in pixels of the input; the network's own patch size is used if tokens are
  /// left out.
  int patch = 16;
  /// True to compare the orders by the saliency of queries and of keys; `classAttention`,
  /// `rollout`, `received` and `classMaps` do so for the orders of the maps that they name.
  bool saliency = true;
  bool classAttention = true;
  bool rollout = true;
  bool received = true;
  bool classMaps = true;
  /// The number of random orders of the picture that maps are compared with. With twenty, chance is
  /// better than all of them with a probability of 1 in 21.
  int random = 20;

  bool operator==(const DeletionSettings&) const = default;
};

/// Options of a measurement of deletion curves.
struct DeletionRequest {
  /// The patches of the input; the network's own tokens if tokens are left out.
  TokenGrid grid;
  PatchRemoval removal = PatchRemoval::MeanColor;
  int classIndex = 0;
  int steps = 20;
  /// Permutations of the patches, the most important first.
  std::vector<std::vector<int>> orders;
  /// Told about curves as they come, on the measuring thread; may be empty.
  FollowedOrders followed;
};

/// A function that measures the curves of each order of a request, such as measureDeletion().
using DeletionMeasurer = std::function<std::vector<DeletionCurves>(
    const Model&, const InputTensor&, const DeletionRequest&, const Progress&)>;

}  // namespace softscope
