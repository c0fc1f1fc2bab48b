#pragma once

#include <optional>

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

}  // namespace softscope
