#pragma once

#include <optional>

namespace softscope {

/// What stands in the place of a patch that is removed.
enum class PatchRemoval {
  MeanColor,  ///< the data set's mean colour, which is 0 in the network's input
  Blur,       ///< the picture, blurred so that nothing of a patch's size remains
  Tokens,     ///< nothing: its token is left out, where a network computes with any of its tokens
};

/// How faithful maps are is measured.
struct DeletionSettings {
  PatchRemoval removal = PatchRemoval::MeanColor;
  /// The class whose probability is followed, from 0; the predicted one where none is named.
  std::optional<int> classIndex;
  /// How many parts the patches are removed in.
  int steps = 20;
  /// The side of a patch in pixels of the input; a network's own where tokens are left out.
  int patch = 16;
  /// The orders that are compared.
  bool saliency = true;
  bool classAttention = true;
  bool rollout = true;
  bool received = true;
  /// So many orders at random of the picture that maps are compared with. Of twenty, chance is
  /// better than all with a probability of 1 in 21.
  int random = 20;

  bool operator==(const DeletionSettings&) const = default;
};

}  // namespace softscope
