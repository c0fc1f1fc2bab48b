#include "core/hosttensor/Tensor.h"

#include <algorithm>
#include <cmath>

namespace at {

namespace {

/// Weight of a place at a distance from the centre, both in samples of the smaller picture.
struct SampleFilter {
  float (*weight)(float distance);
  float reach;
};

float triangle(float distance) {
  return std::max(0.0f, 1 - std::abs(distance));
}

/// Keys' cubic with a = -1/2, as Pillow has it.
float cubic(float distance) {
  constexpr float a = -0.5f;
  const float x = std::abs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

/// The samples that make up one sample of the result.
struct WeightedSamples {
  std::int64_t first;
  std::vector<float> weights;
};

std::vector<WeightedSamples> weightedSamples(std::int64_t from, std::int64_t to,
                                             const SampleFilter& filter) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  const float reach = filter.reach * std::max(scale, 1.0f);
  const float perSample = scale >= 1 ? 1 / scale : 1.0f;
  std::vector<WeightedSamples> samples;
  for (std::int64_t i = 0; i < to; ++i) {
    const float centre = scale * (static_cast<float>(i) + 0.5f);
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - reach + 0.5f), 0);
    const auto last =
        std::min<std::int64_t>(static_cast<std::int64_t>(centre + reach + 0.5f), from);
    WeightedSamples sample{first, {}};
    float total = 0;
    for (std::int64_t j = first; j < last; ++j) {
      sample.weights.push_back(filter.weight((static_cast<float>(j) - centre + 0.5f) * perSample));
      total += sample.weights.back();
    }
    for (float& weight : sample.weights) weight /= total;
    samples.push_back(std::move(sample));
  }
  return samples;
}

/// Resizes the middle one of [outer, from, inner] of float32.
Tensor resized(const Tensor& image, std::int64_t to, const SampleFilter& filter) {
  const std::int64_t from = image.size(1);
  const std::int64_t inner = image.size(2);
  const std::vector<WeightedSamples> samples = weightedSamples(from, to, filter);
  Tensor result({image.size(0), to, inner}, ScalarType::Float);
  std::fill_n(result.data_ptr<float>(), result.numel(), 0.0f);
  for (std::int64_t outer = 0; outer < image.size(0); ++outer) {
    for (std::int64_t i = 0; i < to; ++i) {
      const WeightedSamples& sample = samples[static_cast<std::size_t>(i)];
      float* target = result.data_ptr<float>() + (outer * to + i) * inner;
      for (std::size_t j = 0; j < sample.weights.size(); ++j) {
        const std::int64_t row = sample.first + static_cast<std::int64_t>(j);
        const float* source = image.data_ptr<float>() + (outer * from + row) * inner;
        for (std::int64_t k = 0; k < inner; ++k) target[k] += sample.weights[j] * source[k];
      }
    }
  }
  return result;
}

Tensor antialiased(const Tensor& image, IntArrayRef size, const SampleFilter& filter) {
  const std::int64_t channels = image.size(1);
  const std::int64_t height = *size.begin();
  const std::int64_t width = *(size.begin() + 1);
  Tensor result = image;
  if (width != image.size(3)) {
    result = resized(result.view({channels * image.size(2), image.size(3), 1}), width, filter);
  }
  if (height != image.size(2)) {
    result = resized(result.view({channels, image.size(2), width}), height, filter);
  }
  return result.view({1, channels, height, width});
}

}  // namespace

Tensor _upsample_bilinear2d_aa(const Tensor& image, IntArrayRef size, bool) {
  return antialiased(image, size, {triangle, 1});
}

Tensor _upsample_bicubic2d_aa(const Tensor& image, IntArrayRef size, bool) {
  return antialiased(image, size, {cubic, 2});
}

}  // namespace at
