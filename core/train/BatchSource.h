#pragma once

#include "core/train/Augmentation.h"
#include "core/train/DataSet.h"
#include "core/train/RandomStream.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

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

struct Batch {
  torch::Tensor pictures;  ///< [count, 3, height, width], normalised
  torch::Tensor targets;   ///< [count, classes], rows sum to one
};

struct BatchOptions {
  std::int64_t size = 64;
  double labelSmoothing = 0.1;
  AugmentationOptions augmentation;
  MixingOptions mixing;
  std::uint64_t seed = 0;
};

/// The distorted batches of a training run. Batch `index` of `epoch` is always the same, regardless
/// of the batches requested before. Keeps a reference to the data.
class BatchSource {
 public:
  BatchSource(const DataSet& data, const BatchOptions& options);

  /// Number of whole batches per epoch. Pictures that do not fill a batch are left out, different
  /// ones in each epoch.
  std::int64_t batches() const { return batches_; }
  std::int64_t batchSize() const { return size_; }

  Batch batch(std::int64_t epoch, std::int64_t index);

 private:
  const std::vector<std::size_t>& orderOf(std::int64_t epoch);

  const DataSet& data_;
  BatchOptions options_;
  std::int64_t size_;
  std::int64_t batches_;
  std::vector<std::size_t> order_;
  std::int64_t orderedEpoch_ = -1;
};

}  // namespace softscope
