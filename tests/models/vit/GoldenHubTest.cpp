#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Parity with transformers, timm and Facebook's DINOv2, on the pictures their positions were made
/// for and on others.
class GoldenHubTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenHubTest, LogitsOrFeaturesAndEveryRowOfEveryLayer) {
  const Golden golden("hub/" + GetParam());
  expectOutput(golden);
  expectAttention(golden);
  // A pool's only query is none of the tokens.
  const auto& layers = golden.inspection->layers;
  const bool isPooled = layers.back().attention->description().mechanism == "softmax_pool";
  const AttentionDescription& last =
      layers[layers.size() - (isPooled ? 2 : 1)].attention->description();
  EXPECT_EQ(last.prefixTokens, static_cast<int>(golden.meta.at("prefix_tokens").size()));
  EXPECT_TRUE(golden.model->summary().foreign.empty());
}

std::vector<std::string> hubCases() {
  std::vector<std::string> cases;
  for (const std::string& name : hubFolders()) {
    if (name == "containers") continue;
    cases.push_back(name);
    const std::string other = name + "/other_size";
    if (std::filesystem::exists(goldenPath("hub/" + other))) cases.push_back(other);
  }
  return cases;
}

std::string testName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Hub, GoldenHubTest, ::testing::ValuesIn(hubCases()), testName);

TEST(GoldenHub, HasEveryCase) {
  EXPECT_EQ(hubCases().size(), 44u);
}

}  // namespace
}  // namespace softscope
