#include "core/query/QueriedLayer.h"

#include "core/ParallelWork.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/text/Words.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

namespace softscope {
namespace {

std::vector<int> headsOf(const ShownHeads& shown, const AttentionDescription& attention) {
  std::vector<int> heads;
  if (shown.single) heads = shown.heads;
  if (shown.single && heads.empty()) {
    heads.resize(static_cast<std::size_t>(attention.heads));
    std::iota(heads.begin(), heads.end(), 0);
  }
  if (shown.mean) heads.push_back(AttentionValues::meanOfHeads);
  if (shown.largest) heads.push_back(AttentionValues::largestOfHeads);
  return heads;
}

bool isSigned(const AttentionValues& values) {
  float smallest = 0;
  float largest = 0;
  for (const float value : values.inside()) {
    if (!std::isfinite(value)) continue;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  return isSignedRange(smallest, largest);
}

/// True if a head of the map that is not among `shown` answers with negative values.
bool isAnyOtherSigned(const AttentionMap& map, const std::vector<int>& shown, int token,
                      Direction direction) {
  std::vector<int> others;
  for (int head = 0; head < map.description().heads; ++head) {
    if (std::ranges::find(shown, head) == shown.end()) others.push_back(head);
  }
  const AttentionDescription& attention = map.description();
  std::atomic<bool> found = false;
  shareWork(std::ssize(others), std::ssize(others) * std::max(attention.queries, attention.keys),
            [&](std::int64_t i) {
              const int head = others[static_cast<std::size_t>(i)];
              if (!found && isSigned(attentionValues(map, head, token, direction))) found = true;
            });
  return found;
}

void addArray(NamedArrays& arrays, const std::string& name, std::vector<std::int64_t> shape,
              const Vector& values) {
  const FloatArray array{std::move(shape), {values.begin(), values.end()}};
  std::string free = name;
  for (int number = 2;; ++number) {
    const auto taken = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const auto& other) { return other.first == free; });
    if (taken == arrays.end()) break;
    if (taken->second.values == array.values) return;
    free = name + "_" + std::to_string(number);
  }
  arrays.emplace_back(free, array);
}

}  // namespace

QueriedLayer askLayer(const LayerInspection& layer, const PictureExtent& seen,
                      const PictureQuery& query, Direction direction, const ShownHeads& heads,
                      ShownMap map) {
  QueriedLayer asked;
  asked.layer = &layer;
  asked.seen = seen;
  asked.query = query;
  asked.direction = direction;
  asked.map = map;
  asked.token = queryToken(asked.attention(), seen, query, direction);
  const auto answers = mapOf(layer, map);
  const std::vector<int> shown = headsOf(heads, asked.attention());
  asked.values = attentionValues(*answers, shown, asked.token, direction);
  if (isAnyOtherSigned(*answers, shown, asked.token, direction)) {
    for (AttentionValues& values : asked.values) values.isBesideSigned = true;
  }
  return asked;
}

std::vector<QueriedLayer> askLayers(const std::vector<LayerInspection>& layers,
                                    const PictureExtent& seen,
                                    const std::vector<PictureQuery>& queries, Direction direction,
                                    const ShownHeads& heads, ShownMap map) {
  std::vector<QueriedLayer> answers;
  for (const LayerInspection& layer : layers) {
    for (const PictureQuery& query : queries) {
      answers.push_back(askLayer(layer, seen, query, direction, heads, map));
    }
  }
  return answers;
}

std::vector<SharedLikeness> layerLikeness(const std::vector<LayerInspection>& layers, ShownMap map,
                                          const Progress& progress) {
  std::vector<SharedLikeness> likeness;
  for (const LayerInspection& layer : layers) {
    const auto done = static_cast<double>(likeness.size());
    const auto all = static_cast<double>(layers.size());
    const std::string name = shortLayerName(layer.name);
    const Progress part = progress.part(done / all, (done + 1) / all, name);
    part.report(0, name);
    likeness.push_back(canCompareAnswers(layer.attention->description())
                           ? std::make_shared<const std::vector<HeadLikeness>>(
                                 headLikeness(*mapOf(layer, map), part))
                           : nullptr);
  }
  return likeness;
}

void tellLikeness(std::vector<QueriedLayer>& answers, const std::vector<SharedLikeness>& likeness) {
  if (likeness.empty()) return;
  const std::size_t queries = answers.size() / likeness.size();
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i].likeness = likeness[i / queries];
}

bool repeatsOnlyHead(const QueriedLayer& asked, const AttentionValues& values) {
  return asked.attention().heads == 1 && values.head < 0 && asked.values.front().head >= 0;
}

std::string queryName(const QueriedLayer& asked) {
  if (showsWholeMatrix(asked.attention())) return "matrix";
  const bool rows = asked.direction == Direction::Rows;
  const std::string name = rows ? "row" : "column";
  const auto grid = chosenGrid(asked.attention(), asked.direction);
  const int prefix = rows ? queryPrefix(asked.attention()) : keyPrefix(asked.attention());
  if (const auto token = singleTokenAt(asked.attention(), asked.direction, asked.token)) {
    const bool isClass = classToken(asked.attention(), asked.direction) == *token;
    return name + (isClass ? "_class" : "_token" + std::to_string(*token));
  }
  const int patch = asked.token - prefix;
  const auto& places = rows ? asked.attention().queryPlaces : asked.attention().keyPlaces;
  if (!grid || places) return name + "_" + std::to_string(patch);
  return name + "_" + std::to_string(patch / grid->width) + "_" +
         std::to_string(patch % grid->width);
}

std::string arrayName(const std::string& name, int head) {
  if (head == AttentionValues::meanOfHeads) return name + ".mean";
  if (head == AttentionValues::largestOfHeads) return name + ".max";
  return name + ".head_" + std::to_string(head);
}

void addArrays(NamedArrays& arrays, const std::string& name, const AttentionValues& values) {
  const std::string full = arrayName(name, values.head);
  std::vector<std::int64_t> shape{values.patches.size()};
  if (values.onPicture || values.grid.height > 1) shape = {values.grid.height, values.grid.width};
  addArray(arrays, full, std::move(shape), values.patches);
  if (values.prefix.size() > 0) {
    addArray(arrays, full + ".prefix", {values.prefix.size()}, values.prefix);
  }
}

NamedArrays answerArrays(const std::vector<QueriedLayer>& answers) {
  NamedArrays arrays;
  for (const QueriedLayer& asked : answers) {
    const std::string name = layerName(*asked.layer) + "." + queryName(asked);
    for (const AttentionValues& values : asked.values) addArrays(arrays, name, values);
  }
  return arrays;
}

}  // namespace softscope
