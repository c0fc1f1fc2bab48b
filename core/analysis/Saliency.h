#pragma once

#include "core/Matrix.h"
#include "core/inspect/Inspection.h"

#include <optional>
#include <vector>

namespace softscope {

/// How much each patch matters, by the l1 norm over channels of its query or key (Section 4.7 of
/// "SimA: Simple Softmax-free Attention for Vision Transformers", 2022, arXiv 2206.08898).
struct SaliencyMap {
  /// [patches] the norms themselves.
  Vector norms;
  /// [patches] the norms scaled so that the smallest is 0 and the largest 1; all 0 if they are
  /// alike.
  Vector values;
  /// The norms that were scaled to 0 and to 1.
  float smallest = 0;
  float largest = 0;
};

struct Saliency {
  TokenGrid grid;
  /// One map per head, each scaled separately.
  std::vector<SaliencyMap> heads;
  /// The map of the norms' sum over heads, scaled after summing.
  SaliencyMap summed;
};

/// Selects the tokens whose norms are shown.
enum class SaliencySide {
  Both,
  Queries,
  Keys,
};

/// Returns the saliency of a layer's queries; empty if it has none or they are not patches. Tokens
/// that are no patches are left out, so that a class token's norm does not set the scale.
std::optional<Saliency> querySaliency(const LayerInspection& layer);

/// Returns the saliency of a layer's keys, as querySaliency() does for its queries.
std::optional<Saliency> keySaliency(const LayerInspection& layer);

/// True if one projection yields both queries and keys, as in SOFT, so that they have the same
/// norms.
bool keysAreQueries(const LayerInspection& layer);

}  // namespace softscope
