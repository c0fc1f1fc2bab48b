#include "core/analysis/tokens/TokenMap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Tokens of one block on a grid, two of them before the patches.
AnalysedTokens tokensOn(const TokenGrid& grid, const Matrix& tokens, const std::string& layer) {
  auto inspection = std::make_shared<TokenInspection>();
  inspection->layers.push_back({layer, grid, tokens, tokens.rowwise().norm()});
  return {"model", "", inspection, 0, {0, 0, 1, 1}};
}

Matrix randomTokens(int count, int channels, unsigned seed) {
  std::srand(seed);
  return Matrix::Random(count, channels);
}

TEST(CosineSimilarity, IsTheCosineOfTheAngle) {
  const AnalysedTokens of = tokensOn({3, 4}, randomTokens(14, 5, 3), "blocks.0.attn");
  const LayerTokens& layer = of.layer();
  for (const int token : {0, 1, 2, 13}) {
    const Vector similarity = cosineSimilarity(layer, layer, token);
    ASSERT_EQ(similarity.size(), 12);
    for (int patch = 0; patch < 12; ++patch) {
      const Eigen::VectorXd a = layer.tokens.row(token).cast<double>();
      const Eigen::VectorXd b = layer.tokens.row(2 + patch).cast<double>();
      EXPECT_NEAR(similarity[patch], a.dot(b) / (a.norm() * b.norm()), 1e-6);
    }
  }
}

TEST(CosineSimilarity, OfATokenOfZerosIsZero) {
  Matrix tokens = randomTokens(6, 3, 5);
  tokens.row(2).setZero();
  const AnalysedTokens of = tokensOn({2, 2}, tokens, "a");
  EXPECT_TRUE(cosineSimilarity(of.layer(), of.layer(), 2).isZero());
  EXPECT_EQ(cosineSimilarity(of.layer(), of.layer(), 3)[0], 0);
}

TEST(CosineSimilarity, OfATokenThatIsNotANumberIsNone) {
  Matrix tokens = randomTokens(6, 3, 5);
  tokens(3, 1) = std::nanf("");
  const AnalysedTokens of = tokensOn({2, 2}, tokens, "a");
  const Vector similarity = cosineSimilarity(of.layer(), of.layer(), 2);
  EXPECT_TRUE(std::isnan(similarity[1]));
  EXPECT_NEAR(similarity[0], 1, 1e-6);
  EXPECT_TRUE(cosineSimilarity(of.layer(), of.layer(), 3).array().isNaN().all());
}

TEST(TokenAt, IsThePatchOrThePrefixTokenThatIsThere) {
  const AnalysedTokens of = tokensOn({2, 2}, randomTokens(6, 3, 5), "a");
  EXPECT_EQ(tokenAt(of.layer(), {}, {0.9, 0.1}), 3);
  EXPECT_EQ(tokenAt(of.layer(), {}, {0.9, 0.1, 1}), 1);
  EXPECT_EQ(tokenAt(of.layer(), {}, {0.9, 0.1, 2}), 3) << "it has but two";
}

TEST(NormMap, FindsOutliersBeyondTheRatio) {
  Matrix tokens = Matrix::Zero(6, 2);
  const float norms[] = {7, 8, 1, 5, 2, 2.5f};
  for (int i = 0; i < 6; ++i) tokens(i, i % 2) = norms[i];
  const TokenMap map = normMap(tokensOn({2, 2}, tokens, "a"), 2);
  EXPECT_THAT(std::vector<float>(map.values.begin(), map.values.end()), ElementsAre(1, 5, 2, 2.5f));
  EXPECT_FLOAT_EQ(map.median, 2.25f);
  EXPECT_THAT(map.outliers, ElementsAre(1));
  EXPECT_THAT(normMap(tokensOn({2, 2}, tokens, "a"), 1.05).outliers, ElementsAre(1, 3));
  EXPECT_THAT(std::vector<float>(map.prefixNorms.begin(), map.prefixNorms.end()),
              ElementsAre(7, 8));
}

/// A bright square in the middle of dark patches.
Matrix objectOnGround(float object) {
  Matrix tokens = 0.01f * randomTokens(36, 8, 11);
  for (int row = 2; row < 4; ++row) {
    for (int column = 2; column < 4; ++column) tokens(row * 6 + column, 3) += object;
  }
  return tokens;
}

TEST(ComponentMaps, TheFirstPointsAwayFromTheBorderWhateverItsSign) {
  for (const float object : {4.0f, -4.0f}) {
    const TokenMap map = componentMaps({tokensOn({6, 6}, objectOnGround(object), "a")}, 0).front();
    EXPECT_GT(map.values[2 * 6 + 2], 0.9f) << object;
    EXPECT_LT(map.values[0], 0.1f) << object;
    EXPECT_GT(map.explained[0], 0.9);
    EXPECT_GE(map.colors.minCoeff(), 0);
    EXPECT_LE(map.colors.maxCoeff(), 1);
  }
}

TEST(ComponentMaps, TheForegroundHasComponentsOfItsOwn) {
  const TokenMap map = componentMaps({tokensOn({6, 6}, objectOnGround(4), "a")}, 50).front();
  int shown = 0;
  for (int patch = 0; patch < 36; ++patch) shown += std::isnan(map.colors(patch, 0)) ? 0 : 1;
  EXPECT_EQ(shown, 4);
}

TEST(ComponentMaps, OfPatchesThatDoNotVaryHaveNoForeground) {
  const TokenMap map = componentMaps({tokensOn({2, 3}, Matrix::Ones(6, 4), "a")}, 50).front();
  EXPECT_TRUE(map.values.isZero());
  for (int patch = 0; patch < 6; ++patch) EXPECT_TRUE(std::isnan(map.colors(patch, 0)));
}

TEST(ComponentMaps, ColoursMeanTheSameInMapsTogether) {
  const Matrix tokens = objectOnGround(4);
  std::vector<AnalysedTokens> layers{tokensOn({6, 6}, tokens, "a"), tokensOn({6, 6}, tokens, "b")};
  EXPECT_EQ(componentMaps(layers, 0)[0].together, 1) << "layers of one model are alone";
  layers[1].model = "other";
  const std::vector<TokenMap> maps = componentMaps(layers, 0);
  EXPECT_EQ(maps[0].together, 2);
  EXPECT_EQ(maps[0].colors, maps[1].colors);
  AnalysedTokens narrow = tokensOn({2, 2}, randomTokens(4, 3, 1), "c");
  narrow.model = "narrow";
  EXPECT_EQ(componentMaps({layers[0], narrow}, 0)[0].together, 1)
      << "their channels are not the same";
}

TEST(TokenArrays, AreNamedByModelLayerAndQuery) {
  const AnalysedTokens of = tokensOn({2, 2}, randomTokens(6, 3, 5), "blocks.0.attn");
  const auto names = [](const NamedArrays& arrays) {
    std::vector<std::string> all;
    for (const auto& [name, array] : arrays) all.push_back(name);
    return all;
  };
  EXPECT_THAT(names(tokenArrays(tokenMaps({of}, {}, {{0.1, 0.1}, {0.9, 0.9}}))),
              ElementsAre("model.blocks_0_attn.similarity", "model.blocks_0_attn.similarity_2"));
  EXPECT_THAT(names(tokenArrays(tokenMaps({of}, {.of = TokenQuantity::Norms}, {}))),
              ElementsAre("model.blocks_0_attn.norms", "model.blocks_0_attn.prefix_norms"));
  const NamedArrays components =
      tokenArrays(tokenMaps({of}, {.of = TokenQuantity::Components}, {}));
  EXPECT_THAT(components.front().second.shape, ElementsAre(2, 2, 3));
}

TEST(TokenArrays, SayOfHowManyQueriesAndPicturesTheirNumberIs) {
  AnalysedTokens of = tokensOn({2, 2}, randomTokens(6, 3, 5), "blocks.0.attn");
  EXPECT_THAT(tokenArrays(tokenMaps({of}, {}, {{0.1, 0.1}, {0.9, 0.9}})).sentence,
              HasSubstr(" in the median of 2 queries ("));
  of.picture = "cat";
  AnalysedTokens other = tokensOn({2, 2}, randomTokens(6, 3, 6), "blocks.0.attn");
  other.picture = "dog";
  EXPECT_THAT(tokenArrays(tokenMaps({of, other}, {.of = TokenQuantity::Norms}, {})).sentence,
              HasSubstr(" in the median of 2 pictures ("));
}

}  // namespace
}  // namespace softscope
