#include "core/Error.h"
#include "core/analysis/tokens/TokenMatches.h"
#include "core/array/Npz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// The tokens of three pictures and what tests/data/tokens/make_reference.py computes of them.
class TokenReference : public ::testing::Test {
 protected:
  static Matrix matrixOf(const FloatArray& array) {
    return Eigen::Map<const Matrix>(array.values.data(), array.shape[0], array.shape[1]);
  }

  void SetUp() override {
    for (auto& [name, array] :
         readNpz(std::string(SOFTSCOPE_TEST_DATA) + "/tokens/reference.npz")) {
      arrays_[name] = std::move(array);
    }
    for (const auto& [name, grid] :
         {std::pair{"a", TokenGrid{5, 6}}, {"b", TokenGrid{4, 7}}, {"c", TokenGrid{6, 6}}}) {
      const Matrix tokens = matrixOf(arrays_.at(std::string(name) + ".tokens"));
      auto inspection = std::make_shared<TokenInspection>();
      inspection->layers.push_back({"blocks.0", grid, tokens, tokens.rowwise().norm()});
      pictures_[name] = {"model", "", inspection, 0, {0, 0, 1, 1}, name};
    }
  }

  std::vector<AnalysedTokens> of(const std::string& names) const {
    std::vector<AnalysedTokens> layers;
    for (const char name : names) layers.push_back(pictures_.at(std::string(1, name)));
    return layers;
  }

  void expectColors(const TokenMap& map, const std::string& expected) const {
    const Matrix colors = matrixOf(arrays_.at(expected));
    ASSERT_EQ(map.colors.rows(), colors.rows());
    for (Eigen::Index i = 0; i < colors.size(); ++i) {
      const float found = map.colors.data()[i];
      const float wanted = colors.data()[i];
      ASSERT_EQ(std::isnan(found), std::isnan(wanted)) << expected << ' ' << i;
      if (std::isnan(wanted)) continue;
      ASSERT_NEAR(found, wanted, 2e-5) << expected << ' ' << i;
    }
  }

  void expectExplained(const TokenMap& map, const std::string& expected) const {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(map.explained[i], arrays_.at(expected).values[i], 1e-6) << expected;
    }
  }

  std::map<std::string, FloatArray> arrays_;
  std::map<std::string, AnalysedTokens> pictures_;
};

TEST_F(TokenReference, ComponentsOfSeveralPicturesAreNumPys) {
  const std::vector<TokenMap> maps = componentMaps(of("abc"), 0);
  for (std::size_t i = 0; i < 3; ++i) {
    expectColors(maps[i], std::string(1, "abc"[i]) + ".together");
    expectExplained(maps[i], "together.explained");
  }
}

TEST_F(TokenReference, TheForegroundOfSeveralPicturesIsNumPys) {
  const std::vector<TokenMap> maps = componentMaps(of("abc"), 40);
  for (std::size_t i = 0; i < 3; ++i) {
    expectColors(maps[i], std::string(1, "abc"[i]) + ".foreground");
    expectExplained(maps[i], "foreground.explained");
  }
}

TEST_F(TokenReference, TheForegroundLikeAPatchIsNumPys) {
  // The patch at row 2 and column 1 of 5 x 6 is patch 13.
  const PictureQuery query{1.5 / 6, 2.5 / 5, {}};
  const std::vector<TokenMap> maps = componentMaps(of("abc"), 22, {}, query);
  for (std::size_t i = 0; i < 3; ++i) {
    expectColors(maps[i], std::string(1, "abc"[i]) + ".alike");
    expectExplained(maps[i], "alike.explained");
    EXPECT_EQ(maps[i].token, 13);
    EXPECT_EQ(maps[i].asked.picture, "a") << "the query is on the first picture";
    EXPECT_EQ(isAskedOn(maps[i]), i == 0);
  }
  EXPECT_EQ(maps[1].cosines, cosineSimilarity(of("b")[0].layer(), of("a")[0].layer(), 13));
}

TEST_F(TokenReference, TheForegroundLikeAPatchInComponentsOfAnotherPictureIsNumPys) {
  // Patch 8 of 4 x 7; the query is on the picture that is drawn, and not on that of the basis.
  const PictureQuery query{1.5 / 7, 1.5 / 4, {}};
  const std::vector<TokenMap> maps = componentMaps(of("b"), 22, of("a"), query);
  EXPECT_EQ(maps.front().token, 8);
  expectColors(maps.front(), "b.alike_in_a");
}

TEST_F(TokenReference, AForegroundOfAllPatchesIsLikeNone) {
  const TokenMap all = componentMaps(of("a"), 0, {}, PictureQuery{}).front();
  EXPECT_EQ(all.colors, componentMaps(of("a"), 0).front().colors);
  EXPECT_FALSE(all.leastCosine) << "nothing was asked";
  EXPECT_FALSE(isAskedOn(all));
}

TEST_F(TokenReference, EachQueryHasItsForeground) {
  const TokenSettings settings{
      .of = TokenQuantity::Components, .foreground = 22, .foregroundBy = ForegroundBy::Query};
  const PictureQuery inside{1.5 / 6, 2.5 / 5, {}};
  const PictureQuery corner{0, 0, {}};
  const std::vector<TokenMap> maps = tokenMaps(of("ab"), settings, {inside, corner});
  ASSERT_EQ(maps.size(), 4u);
  EXPECT_EQ(maps[0].token, 13);
  EXPECT_EQ(maps[0].explained, componentMaps(of("ab"), 22, {}, inside)[0].explained);
  EXPECT_EQ(maps[1].explained, componentMaps(of("ab"), 22, {}, corner)[0].explained);
  EXPECT_NE(maps[0].explained, maps[1].explained);
  EXPECT_EQ(maps[1].of.picture, "a") << "a layer's maps stand side by side";
  EXPECT_EQ(maps[1].token, 0);
  EXPECT_EQ(maps[2].of.picture, "b");
  EXPECT_EQ(tokenArrays(maps)[1].first, "a.model.blocks_0.components_2");
  EXPECT_EQ(tokenArrays(maps)[2].first, "b.model.blocks_0.components");
}

TEST_F(TokenReference, APictureInTheComponentsOfAnotherIsNumPys) {
  const std::vector<TokenMap> maps = componentMaps(of("b"), 0, of("a"));
  expectColors(maps.front(), "b.in_a");
  EXPECT_EQ(maps.front().fittedOn, std::vector<std::string>{"a"});
}

TEST_F(TokenReference, MatchesAreNumPys) {
  const std::vector<TokenMatch> matches = nearestPatches(of("a")[0].layer(), of("b")[0].layer());
  ASSERT_EQ(matches.size(), 30u);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    EXPECT_EQ(matches[i].patch, static_cast<int>(i));
    EXPECT_EQ(matches[i].other, arrays_.at("matches.other").values[i]) << i;
    EXPECT_EQ(matches[i].mutual, arrays_.at("matches.mutual").values[i] == 1) << i;
    EXPECT_NEAR(matches[i].cosine, arrays_.at("matches.cosine").values[i], 1e-6) << i;
  }
}

TEST_F(TokenReference, SimilarityReachesToTheOtherPicture) {
  // The patch at row 2 and column 1 of 5 x 6 is patch 13.
  const PictureQuery query{1.5 / 6, 2.5 / 5, {}};
  const std::vector<TokenMap> maps = tokenMaps(of("ab"), {}, {query});
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_EQ(maps[0].token, 13);
  EXPECT_NEAR(maps[0].values[13], 1, 1e-6);
  EXPECT_FALSE(maps[0].best);
  const std::vector<float>& expected = arrays_.at("b.similarity").values;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(maps[1].values[static_cast<Eigen::Index>(i)], expected[i], 1e-6) << i;
  }
  EXPECT_EQ(*maps[1].best, static_cast<int>(arrays_.at("matches.other").values[13]));
  EXPECT_EQ(tokenNameOf(maps[1]), "patch (2, 1)") << "is that of the first picture";
}

TEST_F(TokenReference, APictureTwiceHasTheSameColours) {
  std::vector<AnalysedTokens> twice = of("aa");
  twice[1].picture = "a_2";
  for (const int foreground : {0, 40}) {
    const std::vector<TokenMap> maps = componentMaps(twice, foreground);
    const Matrix alone = componentMaps(of("a"), foreground).front().colors;
    for (Eigen::Index i = 0; i < alone.size(); ++i) {
      const float color = alone.data()[i];
      EXPECT_TRUE(std::isnan(color) || std::abs(maps[0].colors.data()[i] - color) < 1e-5f) << i;
    }
    // By bits, as background is not a number.
    const std::vector<float> first(maps[0].colors.data(), maps[0].colors.data() + alone.size());
    const std::vector<float> second(maps[1].colors.data(), maps[1].colors.data() + alone.size());
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(float)), 0);
  }
}

TEST_F(TokenReference, TheOrderOfPicturesAltersNoColour) {
  const std::vector<TokenMap> two = componentMaps(of("ab"), 0);
  const std::vector<TokenMap> swapped = componentMaps(of("ba"), 0);
  EXPECT_EQ(two[0].colors, swapped[1].colors) << "bit by bit";
  EXPECT_EQ(two[1].colors, swapped[0].colors);
  const std::vector<TokenMap> three = componentMaps(of("abc"), 0);
  const std::vector<TokenMap> turned = componentMaps(of("cab"), 0);
  for (const std::size_t i : {0u, 1u, 2u}) {
    EXPECT_LT((three[i].colors - turned[(i + 1) % 3].colors).cwiseAbs().maxCoeff(), 1e-5f);
  }
  EXPECT_EQ(componentMaps(of("c"), 0, of("ab"))[0].colors,
            componentMaps(of("c"), 0, of("ba"))[0].colors);
}

TEST_F(TokenReference, APictureInItsOwnComponentsIsAsAlone) {
  EXPECT_EQ(componentMaps(of("b"), 0, of("b"))[0].colors, componentMaps(of("b"), 0)[0].colors);
  const std::vector<TokenMap> both = componentMaps(of("ab"), 0, of("ab"));
  EXPECT_EQ(both[0].colors, componentMaps(of("ab"), 0)[0].colors);
  EXPECT_EQ(componentMaps(of("b"), 0, of("ab"))[0].colors, both[1].colors)
      << "kept components do not depend on what is drawn";
}

TEST_F(TokenReference, EveryPatchMatchesItselfInTheSamePicture) {
  const LayerTokens layer = of("a")[0].layer();
  const std::vector<TokenMatch> matches = nearestPatches(layer, layer);
  ASSERT_FALSE(matches.empty());
  for (const TokenMatch& match : matches) {
    EXPECT_EQ(match.other, match.patch);
    EXPECT_TRUE(match.mutual);
    EXPECT_NEAR(match.cosine, 1, 1e-6);
  }
}

TEST_F(TokenReference, MutualMatchesAreTheSameFromBothSides) {
  const LayerTokens a = of("a")[0].layer();
  const LayerTokens b = of("b")[0].layer();
  std::vector<std::pair<int, int>> there;
  std::vector<std::pair<int, int>> back;
  for (const TokenMatch& match : nearestPatches(a, b)) {
    if (match.mutual) there.emplace_back(match.patch, match.other);
  }
  for (const TokenMatch& match : nearestPatches(b, a)) {
    if (match.mutual) back.emplace_back(match.other, match.patch);
  }
  std::ranges::sort(back);
  ASSERT_FALSE(there.empty());
  EXPECT_EQ(there, back);
  EXPECT_LT(there.size(), 28u);
}

TEST_F(TokenReference, LayersMatchTheirOwnOnEveryOtherPicture) {
  TokenSettings settings{.of = TokenQuantity::Matches};
  const std::vector<LayerMatches> all = layerMatches(of("abc"), settings, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].of.picture, "a");
  EXPECT_EQ(all[1].other.picture, "c");
  EXPECT_TRUE(std::ranges::is_sorted(all[0].matches, std::greater(), &TokenMatch::cosine));
  const std::vector<TokenMatch> drawn = drawnMatches(all[0], 3);
  ASSERT_EQ(drawn.size(), 3u);
  for (const TokenMatch& match : drawn) EXPECT_TRUE(match.mutual);

  settings.matched = MatchedPatches::Query;
  const std::vector<LayerMatches> asked =
      layerMatches(of("ab"), settings, {{1.5 / 6, 2.5 / 5, {}}, {0, 0, {}}});
  ASSERT_EQ(asked[0].matches.size(), 2u);
  EXPECT_EQ(asked[0].matches[0].patch, 13);
  EXPECT_EQ(asked[0].matches[1].patch, 0);
  const Table table = matchTable(asked);
  EXPECT_EQ(table.columns.size(), table.rows.front().size());
  EXPECT_EQ(std::get<std::string>(table.rows[0][5]), "b");
  EXPECT_THROW(layerMatches(of("a"), settings, {}), InspectionError);
}

TEST_F(TokenReference, ArraysOfSeveralPicturesBeginWithTheirNames) {
  const NamedArrays arrays = tokenArrays(componentMaps(of("ab"), 0));
  EXPECT_EQ(arrays[0].first, "a.model.blocks_0.components");
  EXPECT_EQ(arrays[1].first, "b.model.blocks_0.components");
}

}  // namespace
}  // namespace softscope
