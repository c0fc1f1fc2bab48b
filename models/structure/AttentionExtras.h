#pragma once

#include "models/structure/BlockStructure.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// The facts about a block that hold before what stands beside its projections is read.
struct ExtrasContext {
  std::string block;  ///< its path, for messages
  std::int64_t channels = 0;
  std::int64_t tokens = 0;  ///< 0 if their number is not known
  bool isOrdered = true;    ///< whether the order of the file tells something
};

/// Reads what stands beside the projections of a block: Linformer's matrices, Performer's features
/// or Nyströmformer's convolution. Takes Linformer's out of `linears`; `extras` are the tensors
/// that no Linear has. Throws ModelError for what has no place or may be two things.
void readExtras(std::vector<TensorUnit>& linears, const std::vector<TensorUnit>& extras,
                const ExtrasContext& context, AttentionStructure& attention);

}  // namespace softscope
