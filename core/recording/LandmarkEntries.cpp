#include "core/attention/Mechanism.h"
#include "core/files/Malformed.h"
#include "core/recording/CheckedArrays.h"
#include "core/recording/RecordedLayer.h"
#include "core/text/FileText.h"

#include <algorithm>

namespace softscope {

namespace {

constexpr int mostLandmarks = 1 << 20;
constexpr std::int64_t mostTokensOfLandmarks = 1 << 20;

/// Reads `LAYER/landmarks`: the number of landmarks, or the sides of their grid.
void readNumbers(const CheckedArrays& arrays, const std::string& layer,
                 AttentionDescription& attention) {
  const std::string key = layer + "/landmarks";
  const std::vector<int> numbers = arrays.integers(key, 1, mostLandmarks, 2);
  if (numbers.size() == 1) attention.landmarks = numbers[0];
  if (numbers.size() != 2) return;
  // The product of two such sides exceeds the range of int.
  if (std::int64_t{numbers[0]} * numbers[1] > mostLandmarks) {
    throw Malformed(quotedText(key) + " is a grid of " + std::to_string(numbers[0]) + " x " +
                    std::to_string(numbers[1]) + ", and should be of at most " +
                    std::to_string(mostLandmarks) + " landmarks");
  }
  attention.landmarkGrid = TokenGrid{numbers[0], numbers[1]};
  attention.landmarks = attention.landmarkGrid->count();
}

/// Reads entries such as `LAYER/parameter_D`: the numbers in the mechanism's formula, by the names
/// that the paper gives them.
void readParameters(const RecordingFile& file, const std::string& layer,
                    AttentionDescription& attention) {
  const CheckedArrays arrays(file);
  const std::string begin = layer + "/parameter_";
  for (const std::string& name : file.namesFrom(begin)) {
    const std::string parameter = name.substr(begin.size());
    attention.parameters[parameter] = *arrays.number(name);
    // Side of the windows that landmarks stand for.
    const int patches = attention.queryGrid ? attention.queryGrid->count() : 1;
    if (parameter == "ratio") arrays.integer(name, 1, patches);
  }
}

/// Reads `LAYER/landmark_tokens` [m, most]: the patches of each landmark, padded with -1.
void readTokens(const RecordingFile& file, const std::string& layer,
                AttentionDescription& attention) {
  const std::string key = layer + "/landmark_tokens";
  if (!file.has(key)) return;
  const int patches = attention.queryGrid ? attention.queryGrid->count() : 0;
  const std::vector<int> tokens =
      CheckedArrays(file).integers(key, -1, patches - 1, mostTokensOfLandmarks);
  const torch::Tensor& stored = *file.array(key);
  if (stored.dim() != 2 || stored.size(0) != attention.landmarks.value_or(0)) {
    throw Malformed(quotedText(key) + " is " + shapeText(stored) +
                    ", and should be [landmarks, most patches of one], filled up with -1");
  }
  const auto most = static_cast<std::ptrdiff_t>(stored.size(1));
  for (std::ptrdiff_t i = 0; i < stored.size(0); ++i) {
    const auto begin = tokens.begin() + i * most;
    std::vector<int> group(begin, begin + most);
    std::erase(group, -1);
    if (group.empty()) throw Malformed(quotedText(key) + " has a landmark of no patch");
    attention.landmarkTokens.push_back(std::move(group));
  }
}

std::optional<PreciseTensors> readPrecise(const CheckedArrays& arrays, const std::string& layer,
                                          const torch::Tensor& bottleneck) {
  PreciseTensors precise;
  precise.bottleneck = arrays.doubles(layer + "/A64", "[heads, m, m]");
  precise.left = arrays.doubles(layer + "/A64_left", "[heads, m, m]");
  precise.right = arrays.doubles(layer + "/A64_right", "[heads, m, m]");
  if (!precise.bottleneck.defined()) return std::nullopt;
  const auto fits = [&](const torch::Tensor& tensor) {
    return tensor.defined() && tensor.size(0) == bottleneck.size(0) &&
           tensor.size(2) == bottleneck.size(2);
  };
  if (precise.bottleneck.sizes() == bottleneck.sizes() && fits(precise.left) &&
      (!precise.right.defined() || fits(precise.right))) {
    return precise;
  }
  throw Malformed(quotedText(layer + "/A64") + " does not fit to A and to A64_left, which are " +
                  "[heads, m, m]");
}

torch::Tensor squares(const CheckedArrays& arrays, const std::string& key, int heads) {
  torch::Tensor matrices = arrays.floats(key, "[heads, m, m]");
  if (!matrices.defined()) return matrices;
  if (matrices.size(0) == heads && matrices.size(1) == matrices.size(2)) return matrices;
  throw Malformed(quotedText(key) + " is " + shapeText(matrices) +
                  ", and should be [heads, m, m] of " + std::to_string(heads) + " heads");
}

void requireKnownMechanism(const std::string& layer, const AttentionRecord& record) {
  const bool known = traitsOf(record.description.mechanism).bottleneck.has_value();
  if (known && std::holds_alternative<FactorTensors>(record.map)) return;
  if (known && std::holds_alternative<DenseTensors>(record.map)) return;
  throw Malformed(quotedText(layer + "/A") +
                  " is a bottleneck matrix; say of which mechanism with " +
                  quotedText(layer + "/mechanism") + ": soft, soft++ or nystromformer");
}

}  // namespace

void fillLandmarks(const RecordingFile& file, const std::string& layer, AttentionRecord& record) {
  const CheckedArrays arrays(file);
  readNumbers(arrays, layer, record.description);
  readParameters(file, layer, record.description);
  record.bottleneck = squares(arrays, layer + "/A", record.description.heads);
  record.bottleneckInverse = squares(arrays, layer + "/A_inv", record.description.heads);
  if (record.bottleneck.defined() != record.bottleneckInverse.defined()) {
    const bool lacksInverse = record.bottleneck.defined();
    throw Malformed("has " + quotedText(layer + (lacksInverse ? "/A" : "/A_inv")) + " without " +
                    quotedText(layer + (lacksInverse ? "/A_inv" : "/A")));
  }
  if (record.bottleneck.defined()) {
    requireKnownMechanism(layer, record);
    const std::int64_t landmarks = record.bottleneck.size(1);
    if (record.bottleneck.sizes() != record.bottleneckInverse.sizes() ||
        record.description.landmarks.value_or(static_cast<int>(landmarks)) != landmarks) {
      throw Malformed(quotedText(layer + "/A") + " is " + shapeText(record.bottleneck) +
                      ", which does not fit to A_inv or to the number of landmarks");
    }
    if (const auto* factors = std::get_if<FactorTensors>(&record.map);
        factors != nullptr && factors->left.size(2) != landmarks) {
      throw Malformed(quotedText(layer + "/left") + " is " + shapeText(factors->left) +
                      ", and should have a column for each of the " + std::to_string(landmarks) +
                      " landmarks of A");
    }
    record.description.landmarks = static_cast<int>(landmarks);
    record.precise = readPrecise(arrays, layer, record.bottleneck);
  }
  readTokens(file, layer, record.description);
}

void addLandmarks(const AttentionRecord& record, RecordingFile& file) {
  const AttentionDescription& attention = record.description;
  const auto add = [&](const char* part, const torch::Tensor& tensor) {
    if (tensor.defined()) file.add(record.layer + part, tensor);
  };
  if (const auto& grid = attention.landmarkGrid) {
    add("/landmarks", torch::tensor({grid->height, grid->width}, torch::kInt64));
  } else if (attention.landmarks) {
    add("/landmarks", torch::tensor(*attention.landmarks, torch::kInt64));
  }
  for (const auto& [name, value] : attention.parameters) {
    file.add(record.layer + "/parameter_" + name, torch::tensor(value, torch::kFloat64));
  }
  add("/A", record.bottleneck);
  add("/A_inv", record.bottleneckInverse);
  if (record.precise) {
    add("/A64", record.precise->bottleneck);
    add("/A64_left", record.precise->left);
    add("/A64_right", record.precise->right);
  }
  if (attention.landmarkTokens.empty()) return;
  std::size_t most = 0;
  for (const auto& group : attention.landmarkTokens) most = std::max(most, group.size());
  std::vector<std::int64_t> tokens;
  for (const auto& group : attention.landmarkTokens) {
    tokens.insert(tokens.end(), group.begin(), group.end());
    tokens.resize(tokens.size() + most - group.size(), -1);
  }
  add("/landmark_tokens",
      torch::tensor(tokens, torch::kInt64)
          .view({std::ssize(attention.landmarkTokens), static_cast<std::int64_t>(most)}));
}

}  // namespace softscope
