#include "core/train/BatchSource.h"

#include "core/train/Loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace softscope {

namespace {

/// Replaces a and b by share * a + (1 - share) * b and by the same with a and b exchanged.
void blend(float* a, float* b, std::int64_t count, float share) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float first = a[i];
    const float second = b[i];
    a[i] = share * first + (1 - share) * second;
    b[i] = share * second + (1 - share) * first;
  }
}

struct Rectangle {
  std::int64_t top = 0;
  std::int64_t bottom = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;

  double area() const { return static_cast<double>((bottom - top) * (right - left)); }
};

/// Draws a rectangle with a share of the picture's area and the picture's proportions, centred
/// anywhere in the picture. Parts outside are cut off.
Rectangle drawRectangle(const BatchMemory& batch, double share, RandomStream& random) {
  const double side = std::sqrt(share);
  const auto interval = [&](std::int64_t length, std::int64_t& begin, std::int64_t& end) {
    const auto centre = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length)));
    const auto half = static_cast<std::int64_t>(side * static_cast<double>(length)) / 2;
    begin = std::max<std::int64_t>(0, centre - half);
    end = std::min(length, centre + half);
  };
  Rectangle rectangle;
  interval(batch.height, rectangle.top, rectangle.bottom);
  interval(batch.width, rectangle.left, rectangle.right);
  return rectangle;
}

void exchange(const BatchMemory& batch, float* a, float* b, const Rectangle& rectangle) {
  for (std::int64_t channel = 0; channel < 3; ++channel) {
    for (std::int64_t y = rectangle.top; y < rectangle.bottom; ++y) {
      const std::int64_t row = (channel * batch.height + y) * batch.width;
      std::swap_ranges(a + row + rectangle.left, a + row + rectangle.right,
                       b + row + rectangle.left);
    }
  }
}

/// The purpose of a stream of random numbers; the first part of its key.
enum Purpose : std::uint64_t { Order, Distortion, Mix };

}  // namespace

void mixBatch(const BatchMemory& batch, const MixingOptions& options, RandomStream& random) {
  const bool mixes = options.mixup > 0 || options.cutmix > 0;
  if (!mixes || !random.chance(options.probability)) return;
  const bool cuts = options.cutmix > 0 && (options.mixup <= 0 || random.chance(0.5));
  double share = random.beta(cuts ? options.cutmix : options.mixup);
  Rectangle rectangle;
  const std::int64_t pixels = batch.height * batch.width;
  if (cuts) {
    rectangle = drawRectangle(batch, 1 - share, random);
    share = 1 - rectangle.area() / static_cast<double>(pixels);
  }
  for (std::int64_t i = 0; i < batch.count / 2; ++i) {
    const std::int64_t other = batch.count - 1 - i;
    float* a = batch.pictures + i * 3 * pixels;
    float* b = batch.pictures + other * 3 * pixels;
    if (cuts) {
      exchange(batch, a, b, rectangle);
    } else {
      blend(a, b, 3 * pixels, static_cast<float>(share));
    }
    blend(batch.targets + i * batch.classes, batch.targets + other * batch.classes, batch.classes,
          static_cast<float>(share));
  }
}

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
