#include "tests/models/identify/PublishedLayouts.h"

#include "models/OpenModel.h"

#include <gmock/gmock.h>

#include <fstream>

namespace softscope {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

nlohmann::json layoutsIn(const char* path) {
  std::ifstream file(std::string(SOFTSCOPE_TEST_DATA) + path);
  return nlohmann::json::parse(file);
}

}  // namespace

const nlohmann::json& publishedLayouts() {
  static const nlohmann::json all = [] {
    nlohmann::json layouts = layoutsIn("/golden/layouts.json");
    layouts.update(layoutsIn("/layouts/linear.json"));
    layouts.update(layoutsIn("/layouts/softmax_free.json"));
    return layouts;
  }();
  return all;
}

std::int64_t publishedParameters(const std::string& variant) {
  return publishedLayouts().at(variant).at("parameters").get<std::int64_t>();
}

Checkpoint zeros(const std::string& variant) {
  Checkpoint checkpoint;
  checkpoint.path = variant + ".pth";
  checkpoint.weights = "raw";
  for (const auto& [name, shape] : publishedLayouts().at(variant).at("state").items()) {
    const auto sizes = shape.get<std::vector<std::int64_t>>();
    checkpoint.state.insert(name, torch::zeros({}).expand(sizes));
  }
  return checkpoint;
}

Checkpoint without(const Checkpoint& checkpoint, const std::string& missing) {
  Checkpoint damaged = checkpoint;
  damaged.state = {};
  for (const auto& entry : checkpoint.state.entries()) {
    if (entry.name != missing) damaged.state.insert(entry.name, entry.tensor);
  }
  return damaged;
}

void expectEachTensorMayBeLost(const Checkpoint& whole, const std::string& variant,
                               const std::function<bool(const std::string&)>& isPassedOver) {
  int lost = 0;
  for (const auto& entry : whole.state.entries()) {
    if (isPassedOver && isPassedOver(entry.name)) continue;
    SCOPED_TRACE(entry.name);
    const ModelSummary summary = identifyModel(without(whole, entry.name));
    EXPECT_EQ(summary.variant, variant);
    EXPECT_THAT(summary.missing, ElementsAre(entry.name));
    EXPECT_THAT(summary.unexpected, IsEmpty());
    EXPECT_THAT(summary.wrongShape, IsEmpty());
    ++lost;
  }
  EXPECT_GT(lost, 0);
}

}  // namespace softscope
