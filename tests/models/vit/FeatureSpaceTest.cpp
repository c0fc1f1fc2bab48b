#include "core/analysis/tokens/TokenVectors.h"
#include "core/inspect/TokenInspection.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// Returns the folder of a case of libraries.zip.
std::string featureCase(const std::string& name) {
  static const test::UnpackedArchive archive("libraries.zip");
  return archive.folder(name);
}

std::vector<float> valuesOf(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

/// Compares the features that a model's final norm and projection make of tokens behind the last
/// block with those that the libraries give.
class FeatureSpaceTest : public ::testing::TestWithParam<std::string> {};

TEST_P(FeatureSpaceTest, TheClassTokenIsTheLibrariesFeature) {
  const Golden golden(featureCase(GetParam()));
  const auto tokens = inspectTokens(*golden.model, golden.input());
  ASSERT_TRUE(tokens->features);
  EXPECT_GT(tokens->features->projection.size(), 0);
  const Matrix classToken = tokens->layers.back().tokens.topRows(1);
  EXPECT_LT(difference(valuesOf(featuresOf(*tokens->features, classToken)),
                       readNpy(golden.path("features.npy"))),
            1e-4);
}

std::string clipCase(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

INSTANTIATE_TEST_SUITE_P(Clip, FeatureSpaceTest,
                         ::testing::Values("hf_clip", "hf_clip_projection", "openai_clip",
                                           "openclip"),
                         clipCase);

TEST(FeatureSpaceOfPatches, IsTheLibrariesOfEveryToken) {
  for (const auto& [name, file] :
       {std::pair<std::string, std::string>{"hf_clip_vision", "features.npy"},
        {"hf_siglip", "tokens.npy"}}) {
    const Golden golden(featureCase(name));
    const auto tokens = inspectTokens(*golden.model, golden.input());
    ASSERT_TRUE(tokens->features) << name;
    EXPECT_EQ(tokens->features->projection.size(), 0) << name;
    EXPECT_LT(difference(valuesOf(featuresOf(*tokens->features, tokens->layers.back().tokens)),
                         readNpy(golden.path(file))),
              1e-4)
        << name;
  }
}

TEST(FeatureSpaceOfPatches, GivesTheCosinesOfTheLibrarysTokens) {
  const Golden golden(featureCase("hf_siglip"));
  const FloatArray expected = readNpy(golden.path("tokens.npy"));
  const Eigen::Map<const Matrix> rows(expected.values.data(), expected.shape[0], expected.shape[1]);
  constexpr int asked = 6;
  const Vector direction = rows.row(asked).normalized();
  const auto tokens = inspectTokens(*golden.model, golden.input());
  const AnalysedTokens last{"siglip", "", tokens, tokens->layers.size() - 1, {0, 0, 1, 1}};
  const TokenMap map = vectorMaps({last}, {{"patch", direction}}, ComparedTokens::Features)[0];
  ASSERT_EQ(map.values.size(), rows.rows());
  EXPECT_NEAR(map.values[asked], 1, 1e-5);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    EXPECT_NEAR(map.values[i], rows.row(i).dot(direction) / rows.row(i).norm(), 1e-4) << i;
  }
}

TEST(FeatureSpaceOfPatches, IsMissingWhereNoNormActsOnThem) {
  const Golden golden(featureCase("hf_clip_classifier"));
  EXPECT_FALSE(inspectTokens(*golden.model, golden.input())->features)
      << "its head sees the mean of patches without a norm";
}

}  // namespace
}  // namespace softscope
