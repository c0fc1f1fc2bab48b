#include "core/Error.h"
#include "core/analysis/tokens/TokenVectors.h"
#include "core/array/Npz.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/checkpoint/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Tokens of two pictures, and what tests/data/tokens/make_reference.py computes of them and of
/// vectors.
class TokenVectorsTest : public ::testing::Test {
 protected:
  TokenVectorsTest() {
    for (auto& [name, array] :
         readNpz(std::string(SOFTSCOPE_TEST_DATA) + "/tokens/reference.npz")) {
      arrays_[name] = std::move(array);
    }
  }

  Matrix matrix(const std::string& name) const {
    const FloatArray& array = arrays_.at(name);
    return Eigen::Map<const Matrix>(array.values.data(), array.shape[0], array.shape[1]);
  }
  Vector vector(const std::string& name) const {
    const std::vector<float>& values = arrays_.at(name).values;
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  FeatureSpace space() const {
    return {vector("space.weight"), vector("space.bias"), 0.3, matrix("space.projection")};
  }

  /// Returns the tokens of picture a or b behind two blocks.
  AnalysedTokens tokensOf(const std::string& picture, std::size_t index,
                          std::optional<FeatureSpace> features) const {
    const Matrix tokens = matrix(picture + ".tokens");
    const TokenGrid grid = picture == "a" ? TokenGrid{5, 6} : TokenGrid{4, 7};
    auto inspection = std::make_shared<TokenInspection>();
    for (const char* name : {"blocks.0", "blocks.1"}) {
      inspection->layers.push_back({name, grid, tokens, tokens.rowwise().norm()});
    }
    inspection->features = std::move(features);
    return {"model", "", inspection, index, {0, 0, 1, 1}, picture};
  }

  /// Returns vectors of the reference, written as one file and read back.
  std::vector<TokenVector> read(const std::string& name) const {
    const std::string path = folder_.file("words.npy");
    writeNpy(path, arrays_.at(name));
    return readTokenVectors({path});
  }

  void expectMaps(const std::vector<TokenMap>& maps, const std::string& expected) const {
    const Matrix cosines = matrix(expected);
    ASSERT_EQ(static_cast<Eigen::Index>(maps.size()), cosines.rows());
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const Vector row = cosines.row(static_cast<Eigen::Index>(i));
      ASSERT_EQ(maps[i].values.size(), row.size());
      EXPECT_LT((maps[i].values - row).cwiseAbs().maxCoeff(), 1e-6f) << expected << ' ' << i;
    }
  }

  std::string refusal(const std::vector<AnalysedTokens>& layers, const std::string& vectors,
                      ComparedTokens compared) const {
    return test::messageOf<InspectionError>([&] { vectorMaps(layers, read(vectors), compared); });
  }

  std::map<std::string, FloatArray> arrays_;
  TemporaryFolder folder_;
};

TEST_F(TokenVectorsTest, OfTheTokensLengthAreComparedWithThem) {
  for (const std::string picture : {"a", "b"}) {
    const std::vector<TokenMap> maps =
        vectorMaps({tokensOf(picture, 0, {})}, read("vectors.wide"), ComparedTokens::Fitting);
    expectMaps(maps, picture + ".to_wide");
    EXPECT_EQ(maps[1].vector->name, "row 1 of words.npy");
    EXPECT_EQ(tokenNameOf(maps[1]), "row 1 of words.npy");
    EXPECT_EQ(maps[1].vector->behind, "");
    EXPECT_FALSE(isAskedOn(maps[1])) << "no place on the picture was asked";
  }
}

TEST_F(TokenVectorsTest, OfTheFeaturesLengthAreComparedBehindNormAndProjection) {
  for (const ComparedTokens compared : {ComparedTokens::Fitting, ComparedTokens::Features}) {
    const std::vector<TokenMap> maps =
        vectorMaps({tokensOf("b", 1, space())}, read("vectors.narrow"), compared);
    expectMaps(maps, "b.to_narrow");
    EXPECT_EQ(maps[0].vector->behind, "the final norm and projection");
    EXPECT_FALSE(maps[0].vector->isEarly);
  }
  const TokenMap early =
      vectorMaps({tokensOf("b", 0, space())}, read("vectors.narrow"), ComparedTokens::Fitting)[0];
  EXPECT_TRUE(early.vector->isEarly) << "the projection is the last block's";
}

TEST_F(TokenVectorsTest, AreComparedBehindTheNormAloneIfThatIsAsked) {
  FeatureSpace norm = space();
  norm.projection = {};
  const std::vector<AnalysedTokens> layers{tokensOf("a", 1, norm)};
  expectMaps(vectorMaps(layers, read("vectors.wide"), ComparedTokens::Fitting), "a.to_wide");
  const TokenMap map = vectorMaps(layers, read("vectors.wide"), ComparedTokens::Features)[0];
  EXPECT_EQ(map.vector->behind, "the final norm");
  EXPECT_GT((map.values - Vector(matrix("a.to_wide").row(0))).cwiseAbs().maxCoeff(), 0.01f);
}

TEST_F(TokenVectorsTest, ThatDoNotFitAreRefusedWithBothLengths) {
  EXPECT_THAT(refusal({tokensOf("a", 1, {})}, "vectors.narrow", ComparedTokens::Fitting),
              AllOf(HasSubstr("row 0 of words.npy has 24 numbers"), HasSubstr("80 channels")));
  FeatureSpace other = space();
  other.projection = other.projection.leftCols(16).eval();
  EXPECT_THAT(refusal({tokensOf("a", 1, other)}, "vectors.narrow", ComparedTokens::Fitting),
              AllOf(HasSubstr("80 channels"), HasSubstr("projection 16")));
  EXPECT_THAT(refusal({tokensOf("a", 1, space())}, "vectors.narrow", ComparedTokens::Block),
              HasSubstr("80 channels"));
  EXPECT_THAT(refusal({tokensOf("a", 1, {})}, "vectors.wide", ComparedTokens::Features),
              HasSubstr("no final norm"));
}

TEST_F(TokenVectorsTest, ThatFitBothAreNotGuessed) {
  FeatureSpace square = space();
  square.projection = Matrix::Identity(80, 80);
  const std::vector<AnalysedTokens> layers{tokensOf("a", 1, square)};
  EXPECT_THAT(refusal(layers, "vectors.wide", ComparedTokens::Fitting),
              HasSubstr("--vector-space block or features"));
  expectMaps(vectorMaps(layers, read("vectors.wide"), ComparedTokens::Block), "a.to_wide");
  EXPECT_EQ(vectorMaps(layers, read("vectors.wide"), ComparedTokens::Features)[0].vector->behind,
            "the final norm and projection");
}

TEST_F(TokenVectorsTest, AreNumberedInArraysAndNamedInNotes) {
  const std::vector<AnalysedTokens> layers{tokensOf("a", 0, space()), tokensOf("a", 1, space())};
  const std::vector<TokenMap> maps =
      vectorMaps(layers, read("vectors.narrow"), ComparedTokens::Fitting);
  const NamedArrays arrays = tokenArrays(maps);
  ASSERT_EQ(arrays.size(), 6u);
  EXPECT_EQ(arrays[1].first, "a.model.blocks_0.similarity_2");
  EXPECT_EQ(arrays[3].first, "a.model.blocks_1.similarity");
  EXPECT_THAT(
      vectorNotes(maps),
      ElementsAre("model: similarity is the cosine to row 0 of words.npy behind the final "
                  "norm and projection",
                  "model: similarity_2 is the cosine to row 1 of words.npy behind the final "
                  "norm and projection",
                  "model: similarity_3 is the cosine to row 2 of words.npy behind the final "
                  "norm and projection"));
}

/// Files of vectors, good and bad.
class TokenVectorFiles : public ::testing::Test {
 protected:
  template <typename Value>
  std::string written(const std::string& type, const std::string& order, const std::string& shape,
                      const std::vector<Value>& values) const {
    const std::string dictionary =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    std::string bytes = "\x93NUMPY";
    bytes += '\x01';
    bytes += '\0';
    bytes += static_cast<char>(dictionary.size());
    bytes += '\0';
    bytes += dictionary;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
    const std::string path = folder_.file("v.npy");
    writeBytes(path, bytes);
    return path;
  }
  template <typename Value>
  std::string refusal(const std::string& type, const std::string& shape,
                      const std::vector<Value>& values) const {
    return refusalOf({written(type, "False", shape, values)});
  }
  static std::string refusalOf(const std::vector<std::string>& paths) {
    const std::string line = test::messageOf<FileError>([&] { readTokenVectors(paths); });
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    return line;
  }

  TemporaryFolder folder_;
};

TEST_F(TokenVectorFiles, OfEveryFloatTypeGiveDirections) {
  const auto direction = [](const std::string& path, std::size_t row = 0) {
    const Vector found = readTokenVectors({path})[row].direction;
    return std::vector<float>(found.begin(), found.end());
  };
  EXPECT_THAT(direction(written<float>("<f4", "False", "(2,)", {3, -4})), ElementsAre(0.6f, -0.8f));
  EXPECT_THAT(direction(written<double>("<f8", "False", "(2,)", {3, -4})),
              ElementsAre(0.6f, -0.8f));
  // 3 and -4 as float16.
  EXPECT_THAT(direction(written<std::uint16_t>("<f2", "False", "(2,)", {0x4200, 0xc400})),
              ElementsAre(0.6f, -0.8f));
  // Squares of these numbers are beyond float32.
  EXPECT_THAT(direction(written<float>("<f4", "False", "(2,)", {3e30f, -4e30f})),
              ElementsAre(::testing::FloatEq(0.6f), ::testing::FloatEq(-0.8f)));
  // In Fortran's order, columns follow each other: rows (3, -4) and (0, 2).
  const std::string columns = written<float>("<f4", "True", "(2, 2)", {3, 0, -4, 2});
  EXPECT_THAT(direction(columns, 0), ElementsAre(0.6f, -0.8f));
  EXPECT_THAT(direction(columns, 1), ElementsAre(0.0f, 1.0f));
  EXPECT_EQ(readTokenVectors({columns})[1].name, "row 1 of v.npy");
  EXPECT_EQ(readTokenVectors({written<float>("<f4", "False", "(1,)", {2})})[0].name, "v.npy");
}

TEST_F(TokenVectorFiles, ThatHoldSomethingElseAreRefusedInOneLine) {
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal<float>("<f4", "()", {1}), HasSubstr("0 dimensions"));
  EXPECT_THAT(refusal<float>("<f4", "(1, 1, 2)", {1, 2}), HasSubstr("3 dimensions"));
  EXPECT_THAT(refusal<float>("<f4", "(0,)", {}), HasSubstr("no numbers"));
  EXPECT_THAT(refusal<float>("<f4", "(0, 3)", {}), HasSubstr("no numbers"));
  EXPECT_THAT(refusal<float>("<f4", "(3, 0)", {}), HasSubstr("no numbers"));
  EXPECT_THAT(refusal<float>("<f4", "(2, 2)", {1, 2, 0, 0}),
              HasSubstr("v.npy: row 1 is all zeros"));
  EXPECT_THAT(refusal<float>("<f4", "(2,)", {1, std::numeric_limits<float>::quiet_NaN()}),
              HasSubstr("not finite"));
  EXPECT_THAT(refusal<float>("<f4", "(2,)", {1, -infinite}), HasSubstr("not finite"));
  EXPECT_THAT(refusal<double>("<f8", "(2,)", {1, 1e300}), HasSubstr("not finite in float32"));
  EXPECT_THAT(refusal<std::int64_t>("<i8", "(2,)", {1, 2}), HasSubstr("'<i8'"));
  EXPECT_THAT(refusal<char>("|O", "(2,)", {'\x80', '\x04'}), HasSubstr("'|O'"));
  EXPECT_THAT(refusal<float>("<f4", "(4,)", {1, 2}), HasSubstr("truncated"));
  EXPECT_THAT(refusal<float>("<f4", "(65, 2)", std::vector<float>(130, 1)),
              AllOf(HasSubstr("65 vectors"), HasSubstr("at most 64")));
  EXPECT_THAT(refusal<float>("<f4", "(1000000000000,)", {1}), HasSubstr("longer than any token"));
  EXPECT_THAT(refusalOf({folder_.file("none.npy")}), HasSubstr("none.npy"));
}

TEST_F(TokenVectorFiles, AreOfOneLengthAndNotTooMany) {
  const std::string pair = written<float>("<f4", "False", "(2,)", {1, 2});
  const std::string other = folder_.file("other.npy");
  writeNpy(other, {{3}, {1, 2, 3}});
  EXPECT_THAT(refusalOf({pair, other}),
              AllOf(HasSubstr("other.npy: "), HasSubstr("3 numbers"), HasSubstr("v.npy has 2")));
  EXPECT_EQ(readTokenVectors({pair, pair}).size(), 2u);
  EXPECT_THAT(refusalOf(std::vector<std::string>(65, pair)), HasSubstr("one too many"));
}

}  // namespace
}  // namespace softscope
