#include "tests/models/Golden.h"

#include "core/attention/AttentionMap.h"
#include "core/attention/Mechanism.h"
#include "core/model/InputTransform.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <utility>

namespace softscope {

namespace {

std::vector<float> flattened(const std::vector<Matrix>& matrices) {
  std::vector<float> values;
  for (const Matrix& matrix : matrices) {
    values.insert(values.end(), matrix.data(), matrix.data() + matrix.size());
  }
  return values;
}

/// A layer's file name without its ending: dots become underscores.
std::string stemOf(const LayerInspection& layer) {
  std::string stem = layer.name;
  std::replace(stem.begin(), stem.end(), '.', '_');
  return stem;
}

/// What the recorded map says of the rows that a layer's file stores, heads first.
std::vector<float> storedRows(const AttentionMap& map, const nlohmann::json& rows) {
  std::vector<int> indices(static_cast<std::size_t>(map.description().queries));
  std::iota(indices.begin(), indices.end(), 0);
  if (rows.is_array()) indices = rows.get<std::vector<int>>();
  std::vector<float> values;
  for (int head = 0; head < map.description().heads; ++head) {
    for (const int index : indices) {
      const Vector row = rowInSequence(map, head, index);
      values.insert(values.end(), row.data(), row.data() + row.size());
    }
  }
  return values;
}

void expectLayer(const Golden& golden, const LayerInspection& layer,
                 const nlohmann::json& expected) {
  SCOPED_TRACE(layer.name);
  EXPECT_EQ(layer.name, expected.at("name").get<std::string>());
  const AttentionDescription& description = layer.attention->description();
  const std::vector<int> shape{description.heads, description.queries, description.keys};
  ASSERT_EQ(shape, expected.at("shape").get<std::vector<int>>());
  EXPECT_LT(difference(storedRows(*layer.attention, expected.at("rows")),
                       readNpy(golden.path(expected.at("file").get<std::string>()))),
            1e-4);
  if (expected.contains("grid")) {
    const auto grid = expected.at("grid").get<std::vector<int>>();
    // A learned query or a class token alone has no place, and its keys are the patches.
    const auto& placed = description.queryGrid ? description.queryGrid : description.keyGrid;
    const bool isOfChannels = traitsOf(description.mechanism).overChannels;
    if (!isOfChannels) {
      EXPECT_EQ(placed, (TokenGrid{grid[0], grid[1]}));
    }
  }
}

}  // namespace

Golden::Golden(const std::string& folder, ModelRequest request)
    : folder_((folder.starts_with('/') ? folder : goldenPath(folder)) + "/") {
  std::ifstream file(path("meta.json"));
  meta = nlohmann::json::parse(file);
  request.path = path(meta.value("checkpoint", "checkpoint.pth"));
  if (const char* device = std::getenv("SOFTSCOPE_TEST_DEVICE")) request.device = device;
  model = openModel(request);
  inspection = inspect(*model, input());
}

InputTensor Golden::input() const {
  FloatArray array = readNpy(path("input.npy"));
  InputTensor input{static_cast<int>(array.shape[2]), static_cast<int>(array.shape[3]),
                    std::move(array.values), static_cast<int>(array.shape[1])};
  return takesBlueFirst(model->summary().family) ? withChannelsReversed(std::move(input)) : input;
}

double difference(const std::vector<float>& actual, const FloatArray& expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (actual.size() != expected.values.size()) return infinite;
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    // NaN must fail: max() would pass over it.
    if (!std::isfinite(actual[i])) return infinite;
    const double exact = expected.values[i];
    worst = std::max(worst, std::abs(actual[i] - exact));
    largest = std::max(largest, std::abs(exact));
  }
  return worst / largest;
}

void expectLogits(const Golden& golden) {
  const FloatArray expected = readNpy(golden.path("logits.npy"));
  EXPECT_LT(difference(golden.inspection->logits, expected), 1e-4);
  // Weights are packed when they are used a second time.
  EXPECT_LT(difference(inspect(*golden.model, golden.input())->logits, expected), 1e-4) << "again";
}

void expectOutput(const Golden& golden) {
  if (golden.meta.at("output") != "features") {
    EXPECT_EQ(golden.inspection->features.size(), 0);
    return expectLogits(golden);
  }
  EXPECT_TRUE(golden.inspection->logits.empty());
  const Matrix& features = golden.inspection->features;
  EXPECT_LT(difference({features.data(), features.data() + features.size()},
                       readNpy(golden.path("features.npy"))),
            1e-4);
}

void expectSummary(const Golden& golden, const std::string& family,
                   const std::vector<std::string>& guesses) {
  const ModelSummary& summary = golden.model->summary();
  EXPECT_EQ(summary.family, family);
  EXPECT_TRUE(summary.foreign.empty());
  EXPECT_FALSE(summary.counterfactual);
  std::vector<std::string> guessed;
  for (const NetworkSetting& setting : summary.settings) {
    const bool isOfPictures = setting.option == "mean" || setting.option == "std";
    if (setting.isUndetermined() && !isOfPictures) guessed.push_back(setting.option);
  }
  EXPECT_EQ(guessed, guesses);
  ASSERT_EQ(summary.layers.size(), golden.inspection->layers.size());
  for (std::size_t i = 0; i < summary.layers.size(); ++i) {
    const AttentionDescription& layer = golden.inspection->layers[i].attention->description();
    EXPECT_EQ(summary.layers[i].name, golden.inspection->layers[i].name);
    EXPECT_EQ(summary.layers[i].mechanism, layer.mechanism);
    EXPECT_EQ(summary.layers[i].heads, layer.heads);
  }
}

void expectAttention(const Golden& golden) {
  const nlohmann::json& layers = golden.meta.at("layers");
  ASSERT_EQ(golden.inspection->layers.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    expectLayer(golden, golden.inspection->layers[i], layers[i]);
  }
}

int expectBottlenecks(const Golden& golden) {
  int compared = 0;
  for (const LayerInspection& layer : golden.inspection->layers) {
    SCOPED_TRACE(layer.name);
    const std::string kernel = golden.path(stemOf(layer) + ".A.npy");
    EXPECT_EQ(layer.bottleneck.empty(), !std::filesystem::exists(kernel));
    if (layer.bottleneck.empty()) continue;
    EXPECT_LT(difference(flattened(layer.bottleneck), readNpy(kernel)), 1e-4);
    EXPECT_LT(difference(flattened(layer.bottleneckInverse),
                         readNpy(golden.path(stemOf(layer) + ".A_inv.npy"))),
              1e-3);
    ++compared;
  }
  return compared;
}

int expectL1(const Golden& golden) {
  int compared = 0;
  for (const LayerInspection& layer : golden.inspection->layers) {
    SCOPED_TRACE(layer.name);
    const std::string query = golden.path(stemOf(layer) + ".q_l1.npy");
    if (!std::filesystem::exists(query)) continue;
    EXPECT_LT(difference(flattened({layer.queryL1}), readNpy(query)), 1e-4);
    EXPECT_LT(
        difference(flattened({layer.keyL1}), readNpy(golden.path(stemOf(layer) + ".k_l1.npy"))),
        1e-4);
    ++compared;
  }
  return compared;
}

void expectParity(const Golden& golden) {
  expectOutput(golden);
  if (golden.meta.contains("layers")) expectAttention(golden);
}

InputTensor evenInput(int height, int width) {
  return {height, width, std::vector<float>(static_cast<std::size_t>(3 * height * width), 0.5f)};
}

}  // namespace softscope
