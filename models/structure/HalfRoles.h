#pragma once

#include "models/structure/BlockStructure.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns the half of a block that a name mentions alone.
std::optional<BlockHalf> halfInName(const std::string& name);

/// Tells from the places and names of a block's vectors, such as its norms, which belong to the
/// attention and which to the mlp.
class HalfRoles {
 public:
  /// `mlp` names the matrices of the mlp; `isOrdered` is true if the order of the file tells, and
  /// `areNorms` if the vectors are of norms.
  HalfRoles(const BlockStructure& block, const std::vector<std::string>& mlp, bool isOrdered,
            bool areNorms);

  /// Returns true if the second vector is the attention's and the first the mlp's; nothing if
  /// nothing tells.
  std::optional<bool> areReversed(const TensorUnit& first, const TensorUnit& second) const;

  /// Returns true if neither place nor name says the half of two vectors, so that their order does.
  bool areInOrder(const TensorUnit& first, const TensorUnit& second) const;

  /// Returns the half that the place or the name of a vector alone says. A norm behind one half may
  /// be in front of the other.
  std::optional<BlockHalf> halfOf(const std::string& name) const;

  /// Returns true if a norm stands in the module of the attention's matrices, where it may act on
  /// what leaves the heads as well as on the tokens that come in, while nothing says that the
  /// block's other norm is the mlp's.
  bool mayActInside(const std::string& name, const std::string& other) const;

  /// Returns -1 for a name inside the attention's path or beside it, 1 for one of the mlp's and 0
  /// for any other. Paths that contain each other tell nothing.
  int placeOf(const std::string& name) const;

 private:
  /// Returns true for a name in the module of one of the mlp's matrices: `.output.norm` beside
  /// `.output.dense`.
  bool standsBesideMlp(const std::string& name) const;
  /// Returns what placeOf() does for a vector that stands beside a path: `.0.norm` beside `.0.fn`.
  int sharedPlace(const std::string& name) const;

  std::string attention_;
  std::string mlp_;
  std::vector<std::string> matrices_;  ///< of the mlp
  bool isOrdered_;
  bool areNorms_;
};

}  // namespace softscope
