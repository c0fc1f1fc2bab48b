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
  /// [patches] scaled so that the smallest is 0 and the largest 1; all 0 where they are alike.
  Vector values;
  /// The norms that became 0 and 1.
  float smallest = 0;
  float largest = 0;
};

struct Saliency {
  TokenGrid grid;
  /// A map per head, each scaled by itself.
  std::vector<SaliencyMap> heads;
  /// Of the norms' sum over heads, scaled thereafter.
  SaliencyMap summed;
};

/// Whose norms are looked at.
enum class SaliencyOf {
  Both,
  Queries,
  Keys,
};

/// Of a layer's queries; nothing where it has none or they are not patches. Prefix tokens are left
/// out, so that a class token's norm does not set the scale.
std::optional<Saliency> querySaliency(const LayerInspection& layer);

/// Of its keys, likewise.
std::optional<Saliency> keySaliency(const LayerInspection& layer);

/// Whether one projection gives both, as in SOFT: the keys are the queries, and so are their norms.
bool keysAreQueries(const LayerInspection& layer);

}  // namespace softscope
