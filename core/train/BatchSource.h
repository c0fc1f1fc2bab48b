#pragma once

#include "core/train/Augmentation.h"
#include "core/train/DataSet.h"
#include "core/train/Mixing.h"

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace softscope {

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
