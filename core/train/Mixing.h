#pragma once

#include "core/train/RandomStream.h"

#include <cstdint>

namespace softscope {

/// Options for mixup and CutMix of a batch with its own reverse.
struct MixingOptions {
  /// Alphas of the beta distributions that the share is drawn from; 0 turns one off. If both are
  /// on, each batch uses one of them.
  double mixup = 0;
  double cutmix = 0;
  /// Share of the batches that are mixed at all.
  double probability = 0.5;
};

/// A batch in memory: pictures [count, 3, height, width] and target probabilities [count, classes].
struct BatchMemory {
  float* pictures = nullptr;
  float* targets = nullptr;
  std::int64_t count = 0;
  std::int64_t classes = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Mixes picture i with picture count - 1 - i, and their targets accordingly: mixup adds shares of
/// both, CutMix exchanges a rectangle. Targets still sum to one.
void mixBatch(const BatchMemory& batch, const MixingOptions& options, RandomStream& random);

}  // namespace softscope
