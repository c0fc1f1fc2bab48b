#include "core/train/BatchSource.h"

#include "core/train/Loss.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace softscope {

namespace {

/// The purpose of a stream of random numbers; the first part of its key.
enum Purpose : std::uint64_t { Order, Distortion, Mix };

}  // namespace

BatchSource::BatchSource(const DataSet& data, const BatchOptions& options)
    : data_(data), options_(options) {
  const auto pictures = static_cast<std::int64_t>(data.pictures.size());
  size_ = std::min(options.size, pictures);
  batches_ = pictures / size_;
}

const std::vector<std::size_t>& BatchSource::orderOf(std::int64_t epoch) {
  if (epoch == orderedEpoch_) return order_;
  order_.resize(data_.pictures.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  RandomStream random(options_.seed, {Order, static_cast<std::uint64_t>(epoch)});
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  orderedEpoch_ = epoch;
  return order_;
}

Batch BatchSource::batch(std::int64_t epoch, std::int64_t index) {
  const std::vector<std::size_t>& order = orderOf(epoch);
  const AugmentationOptions& augmentation = options_.augmentation;
  const std::int64_t pixels = std::int64_t{3} * augmentation.height * augmentation.width;
  Batch batch;
  batch.pictures = torch::empty({size_, 3, augmentation.height, augmentation.width});
  std::vector<int> labels;
  for (std::int64_t i = 0; i < size_; ++i) {
    const std::size_t chosen = order[static_cast<std::size_t>(index * size_ + i)];
    const LabelledPicture& entry = data_.pictures[chosen];
    RandomStream random(options_.seed, {Distortion, static_cast<std::uint64_t>(epoch), chosen});
    augment(entry.picture, augmentation, random, batch.pictures.data_ptr<float>() + i * pixels);
    labels.push_back(entry.label);
  }
  const auto classes = static_cast<std::int64_t>(data_.classes.size());
  batch.targets = smoothedTargets(labels, classes, options_.labelSmoothing);
  RandomStream random(options_.seed,
                      {Mix, static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(index)});
  mixBatch({batch.pictures.data_ptr<float>(), batch.targets.data_ptr<float>(), size_, classes,
            augmentation.height, augmentation.width},
           options_.mixing, random);
  return batch;
}

}  // namespace softscope
