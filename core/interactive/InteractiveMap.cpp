#include "core/interactive/InteractiveMap.h"

#include "core/attention/BlockMap.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/StencilMap.h"
#include "core/attention/SumMap.h"
#include "core/files/Base64.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// The second float16 holds the rest times this: neighbouring float16 are 2^-11 of their size or
/// more apart.
constexpr float lowScale = 2048;

/// Returns the power of two that makes the largest magnitude use most of float16's range.
float scaleOf(const float* values, std::size_t count) {
  constexpr int highestExponent = 15;
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
  }
  if (largest == 0) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  // Beyond these, the power itself or its inverse would be no ordinary float32.
  return std::ldexp(1.0f, std::clamp(exponent - highestExponent, -126, 126));
}

void appendHalf(std::string& bytes, Eigen::half half) {
  const auto bits = Eigen::numext::bit_cast<std::uint16_t>(half);
  bytes += static_cast<char>(bits & 0xff);
  bytes += static_cast<char>(bits >> 8);
}

using Json = nlohmann::ordered_json;

/// The form in which a map is stored, and the map that its script computes.
struct StoredMap {
  Json json;
  std::shared_ptr<const AttentionMap> map;
};

constexpr int rowsChecked = 1024;

/// Returns rows spread evenly over all of them.
std::vector<int> checkedRows(int queries) {
  const int count = std::min(queries, rowsChecked);
  std::vector<int> rows;
  for (int i = 0; i < count; ++i) {
    rows.push_back(static_cast<int>(static_cast<std::int64_t>(i) * queries / count));
  }
  return rows;
}

StoredMap stored(const FactoredMap& map, StoredPrecision precision) {
  StoredStack left = storedStack(map.left(), precision);
  StoredStack middle;
  StoredStack right;
  StoredMap result;
  result.json["kind"] = "factored";
  result.json["left"] = std::move(left.json);
  if (!map.middle().empty()) {
    middle = storedStack(map.middle(), precision);
    result.json["middle"] = std::move(middle.json);
  }
  if (!map.symmetricFactors()) {
    right = storedStack(map.right(), precision);
    result.json["right"] = std::move(right.json);
  }
  result.map = std::make_shared<FactoredMap>(map.description(), left.rounded, middle.rounded,
                                             map.symmetricFactors() ? left.rounded : right.rounded);
  return result;
}

/// Returns the logarithm of the sum of exponentials of each row: [heads][1, queries].
MatrixStack logSums(const KernelMap& map, const Progress& progress) {
  const AttentionDescription& sizes = map.description();
  std::vector<Matrix> sums(static_cast<std::size_t>(sizes.heads), Matrix(1, sizes.queries));
  for (int head = 0; head < sizes.heads; ++head) {
    for (int query = 0; query < sizes.queries; ++query) {
      if (query % 64 == 0) progress.throwIfCancelled();
      const Vector row = map.row(head, query);
      Eigen::Index largest = 0;
      const float weight = row.maxCoeff(&largest);
      const double score = map.scale() * map.query()[head].row(query).cast<double>().dot(
                                             map.key()[head].row(largest).cast<double>());
      sums[static_cast<std::size_t>(head)](0, query) =
          static_cast<float>(score - std::log(static_cast<double>(weight)));
    }
  }
  return MatrixStack(sums);
}

StoredMap stored(const KernelMap& map, StoredPrecision precision, const Progress& progress) {
  const bool softmax = map.kernel() == KernelMap::Kernel::Softmax;
  const bool shared = map.query().sharesMemoryWith(map.key());
  StoredStack query = storedStack(map.query(), precision);
  StoredStack key;
  StoredMap result;
  result.json["kind"] = "kernel";
  result.json["kernel"] = softmax ? "softmax" : "gaussian";
  result.json["scale"] = map.scale();
  result.json["query"] = std::move(query.json);
  if (!shared) {
    key = storedStack(map.key(), precision);
    result.json["key"] = std::move(key.json);
  }
  auto kernel = std::make_shared<KernelMap>(map.description(), map.kernel(), query.rounded,
                                            shared ? query.rounded : key.rounded, map.scale());
  // With them, a column takes no longer than a row.
  if (softmax) {
    result.json["logSums"] =
        storedStack(logSums(*kernel, progress), StoredPrecision::TwoHalves).json;
  }
  result.map = std::move(kernel);
  return result;
}

StoredMap stored(const DenseMap& map, StoredPrecision precision) {
  StoredStack values = storedStack(map.values(), precision);
  return {Json{{"kind", "dense"}, {"values", std::move(values.json)}},
          std::make_shared<DenseMap>(map.description(), values.rounded)};
}

StoredMap stored(const BlockMap& map, StoredPrecision precision) {
  BlockMap::Blocks blocks = map.blocks();
  StoredStack values = storedStack(blocks.values, precision);
  blocks.values = values.rounded;
  Json json{{"kind", "blocks"},
            {"values", std::move(values.json)},
            {"rows", blocks.rows},
            {"columns", blocks.columns},
            {"count", blocks.count}};
  return {std::move(json), std::make_shared<BlockMap>(map.description(), std::move(blocks))};
}

StoredMap stored(const StencilMap& map, StoredPrecision precision) {
  StoredStack filters = storedStack(map.filters(), precision);
  return {Json{{"kind", "stencil"}, {"filters", std::move(filters.json)}},
          std::make_shared<StencilMap>(map.description(), filters.rounded)};
}

/// Returns nothing for a map that is not computed from a few matrices.
std::optional<StoredMap> storedForm(const AttentionMap& map, StoredPrecision precision,
                                    const Progress& progress) {
  if (const auto* factored = dynamic_cast<const FactoredMap*>(&map)) {
    return stored(*factored, precision);
  }
  if (const auto* kernel = dynamic_cast<const KernelMap*>(&map)) {
    return stored(*kernel, precision, progress);
  }
  if (const auto* dense = dynamic_cast<const DenseMap*>(&map)) return stored(*dense, precision);
  if (const auto* blocks = dynamic_cast<const BlockMap*>(&map)) return stored(*blocks, precision);
  if (const auto* stencil = dynamic_cast<const StencilMap*>(&map)) {
    return stored(*stencil, precision);
  }
  if (const auto* sum = dynamic_cast<const SumMap*>(&map)) {
    auto first = storedForm(sum->first(), precision, progress);
    auto second = storedForm(sum->second(), precision, progress);
    if (!first || !second) return std::nullopt;
    return StoredMap{
        Json{{"kind", "sum"}, {"terms", {std::move(first->json), std::move(second->json)}}},
        std::make_shared<SumMap>(std::move(first->map), std::move(second->map))};
  }
  return std::nullopt;
}

/// Measures how far the rows of a stored map are from a layer's own.
InteractiveMap measured(const AttentionMap& map, StoredMap form, const Progress& progress) {
  const AttentionDescription& sizes = map.description();
  const std::vector<int> rows = checkedRows(sizes.queries);
  InteractiveMap result;
  result.rows = static_cast<int>(rows.size());
  result.lowest = std::numeric_limits<double>::infinity();
  result.smallestSum = std::numeric_limits<double>::infinity();
  result.largestSum = -std::numeric_limits<double>::infinity();
  for (int head = 0; head < sizes.heads; ++head) {
    for (const int query : rows) {
      if (query % 64 == 0) progress.throwIfCancelled();
      const Vector own = map.row(head, query);
      const Vector computed = form.map->row(head, query);
      double largest = 0;
      double difference = 0;
      for (Eigen::Index key = 0; key < own.size(); ++key) {
        if (!std::isfinite(own[key])) continue;
        largest = std::max(largest, std::abs(static_cast<double>(own[key])));
        const double apart = std::abs(static_cast<double>(own[key]) - computed[key]);
        // A comparison with NaN is false, and NaN is as far as can be.
        difference = apart <= difference ? difference
                     : std::isnan(apart) ? std::numeric_limits<double>::infinity()
                                         : apart;
        result.lowest = std::min(result.lowest, static_cast<double>(own[key]));
      }
      if (difference > 0) {
        result.error =
            std::max(result.error,
                     largest > 0 ? difference / largest : std::numeric_limits<double>::infinity());
      }
      const double sum = own.cast<double>().sum();
      if (!std::isfinite(sum)) {
        ++result.rowsNotFinite;
        continue;
      }
      result.smallestSum = std::min(result.smallestSum, sum);
      result.largestSum = std::max(result.largestSum, sum);
    }
  }
  result.json = std::move(form.json);
  result.bytes = result.json.dump().size();
  return result;
}

std::size_t entryBytes(const AttentionDescription& sizes, StoredPrecision precision) {
  return storedBytes(static_cast<std::size_t>(sizes.heads) *
                         static_cast<std::size_t>(sizes.queries) *
                         static_cast<std::size_t>(sizes.keys),
                     precision);
}

/// Stores all entries of a map.
InteractiveMap entriesOf(const AttentionMap& map, StoredPrecision precision,
                         const Progress& progress) {
  const AttentionDescription& sizes = map.description();
  std::vector<Matrix> heads;
  for (int head = 0; head < sizes.heads; ++head) {
    progress.throwIfCancelled();
    heads.push_back(map.block(head, 0, 0, sizes.queries, sizes.keys));
  }
  return measured(map, stored(DenseMap(sizes, MatrixStack(heads)), precision), progress);
}

constexpr std::array<StoredPrecision, 2> storedPrecisions{StoredPrecision::Half,
                                                          StoredPrecision::TwoHalves};

}  // namespace

std::size_t storedBytes(std::size_t numbers, StoredPrecision precision) {
  return numbers * static_cast<std::size_t>(precision) * sizeof(std::uint16_t) * 4 / 3;
}

StoredStack storedStack(const MatrixStack& stack, StoredPrecision precision) {
  const std::size_t count = stack.bytes() / sizeof(float);
  const float* values = count == 0 ? nullptr : stack[0].data();
  const float scale = scaleOf(values, count);
  const bool two = precision == StoredPrecision::TwoHalves;
  std::string high;
  std::string low;
  high.reserve(count * sizeof(std::uint16_t));
  // An array that the stack shares.
  const std::shared_ptr<float[]> rounded(new float[count]);
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i] / scale;
    const Eigen::half first(value);
    appendHalf(high, first);
    rounded[i] = static_cast<float>(first);
    if (two) {
      const float rest = std::isfinite(value) ? (value - rounded[i]) * lowScale : 0;
      const Eigen::half second(rest);
      appendHalf(low, second);
      rounded[i] += static_cast<float>(second) / lowScale;
    }
    rounded[i] *= scale;
  }
  StoredStack stored;
  stored.json["shape"] = {stack.count(), stack.rows(), stack.columns()};
  stored.json["scale"] = scale;
  stored.json["high"] = base64(high);
  if (two) stored.json["low"] = base64(low);
  stored.rounded = MatrixStack(std::shared_ptr<const float>(rounded, rounded.get()), stack.count(),
                               stack.rows(), stack.columns());
  return stored;
}

std::size_t denseBytes(const AttentionDescription& description) {
  return entryBytes(description, StoredPrecision::Half);
}

std::optional<InteractiveMap> denseMap(const AttentionMap& map, const Progress& progress,
                                       double largestError, std::size_t room) {
  for (const StoredPrecision precision : storedPrecisions) {
    const bool fits =
        precision == StoredPrecision::Half || entryBytes(map.description(), precision) <= room;
    if (!fits) break;
    InteractiveMap result = entriesOf(map, precision, progress);
    if (result.error <= largestError) return result;
  }
  return std::nullopt;
}

std::optional<InteractiveMap> compactMap(const AttentionMap& map, const Progress& progress,
                                         double largestError) {
  // How precisely all entries are to be stored if they come next.
  auto entries = storedPrecisions.begin();
  const auto smallEntries = [&](std::size_t bytes) -> std::optional<InteractiveMap> {
    for (; entries != storedPrecisions.end(); ++entries) {
      if (entryBytes(map.description(), *entries) > bytes) break;
      InteractiveMap result = entriesOf(map, *entries, progress);
      if (result.error <= largestError) return result;
    }
    return std::nullopt;
  };
  for (const StoredPrecision precision : storedPrecisions) {
    std::optional<StoredMap> form = storedForm(map, precision, progress);
    if (!form) return std::nullopt;
    if (auto result = smallEntries(form->json.dump().size())) return result;
    InteractiveMap result = measured(map, std::move(*form), progress);
    if (result.error <= largestError) return result;
  }
  return std::nullopt;
}

}  // namespace softscope
