#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Safetensors.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/core/checkpoint/TestFiles.h"
#include "tests/models/structure/ChangedCases.h"
#include "tests/models/structure/HandWrittenCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using test::HandWrittenCases;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using test::answerOf;
using test::doubtsOf;
using test::Options;
using test::Pieces;
using test::plainNetwork;
using test::rebuilt;
using test::refusalOfParts;
using test::Shapes;

/// Returns the product of a matrix and a vector.
std::vector<float> productWith(const torch::Tensor& matrix, const std::vector<float>& vector) {
  std::vector<float> result;
  for (std::int64_t row = 0; row < matrix.size(0); ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < matrix.size(1); ++i) {
      sum +=
          matrix[row][i].item<double>() * static_cast<double>(vector[static_cast<std::size_t>(i)]);
    }
    result.push_back(static_cast<float>(sum));
  }
  return result;
}

/// Returns the numbers of some tokens one after another.
std::vector<float> numbersOf(const Matrix& tokens, Eigen::Index first, Eigen::Index count) {
  std::vector<float> numbers;
  for (Eigen::Index token = first; token < first + count; ++token) {
    for (Eigen::Index i = 0; i < tokens.cols(); ++i) numbers.push_back(tokens(token, i));
  }
  return numbers;
}

void expectClose(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-4);
}

TEST(OuterParts, AHeadOfPatchesSideBySideLeavesOutTheClassToken) {
  const Checkpoint headed = plainNetwork({"out."}, {{"out.weight", {3, 16 * 24}}});
  const ModelSummary summary = identifyModel(headed);
  EXPECT_EQ(summary.setting("pooling")->value, "flatten_patches");
  EXPECT_THAT(doubtsOf(summary), Not(Contains("pooling")));
  EXPECT_EQ(summary.transform.height, 28);
  const Matrix tokens = answerOf(plainNetwork({"out."}, {}), {})->features;
  ASSERT_EQ(tokens.rows(), 17);
  expectClose(answerOf(headed, {})->logits,
              productWith(*headed.state.find("out.weight"), numbersOf(tokens, 1, 16)));
  const Checkpoint all = plainNetwork({"out."}, {{"out.weight", {3, 17 * 24}}});
  EXPECT_EQ(identifyModel(all).setting("pooling")->value, "flatten");
  EXPECT_THAT(doubtsOf(identifyModel(all)), Not(Contains("pooling")));
}

TEST(OuterParts, WithoutATableTheTokensOfAHeadAreAsked) {
  const Checkpoint untold = plainNetwork({"out.", "table"}, {{"out.weight", {3, 16 * 24}}});
  const ModelSummary summary = identifyModel(untold);
  EXPECT_THAT(doubtsOf(summary), Contains("pooling"));
  EXPECT_THAT(doubtsOf(summary), Contains("size"));
  EXPECT_EQ(summary.setting("pooling")->choices, (Pieces{"flatten_patches", "flatten"}));
  ModelRequest request;
  request.pooling = "flatten";
  // 15 patches beside the class token.
  EXPECT_EQ(identifyModel(untold, request).transform.width, 35);
}

TEST(OuterParts, AHeadOfSeveralPooledVectorsIsRefused) {
  const Shapes head{{"out.weight", {3, 2 * 24}}};
  EXPECT_THAT(refusalOfParts(plainNetwork({"out."}, head)),
              HasSubstr("takes 2 times the tokens' width"));
  EXPECT_THAT(refusalOfParts(plainNetwork({"out.", "table"}, head)), HasSubstr("takes 2 times"));
  EXPECT_THAT(refusalOfParts(plainNetwork({"out.", "first"}, {{"out.weight", {3, 4 * 24}}})),
              HasSubstr("the 17 rows of 'table' are for other tokens"));
}

TEST(OuterParts, AConvolutionThatMakesPixelsIsNoPatchEmbedding) {
  const Shapes product{{"embed.weight", {24, 49}}, {"embed.bias", {24}}};
  EXPECT_EQ(refusalOfParts(plainNetwork({"embed."}, product)), "");
  Shapes decoder = product;
  decoder.push_back({"decode.weight", {24, 1, 7, 7}});
  EXPECT_THAT(refusalOfParts(plainNetwork({"embed."}, decoder)),
              HasSubstr("may make pixels of tokens"));
  const Shapes biased{{"decode.weight", {24, 3, 7, 7}}, {"decode.bias", {3}}};
  EXPECT_THAT(refusalOfParts(plainNetwork({"embed."}, biased)),
              HasSubstr("may make pixels of tokens"));
}

TEST(OuterParts, AFinalNormWithoutWeightsIsAsked) {
  const Checkpoint bare = plainNetwork({"end.", "out."}, {});
  const ModelSummary summary = identifyModel(bare);
  ASSERT_THAT(doubtsOf(summary), Contains("final-norm"));
  EXPECT_EQ(summary.setting("final-norm")->choices, (Pieces{"none", "plain"}));
  const Matrix without = answerOf(bare, {{"final-norm", "none"}})->features;
  const Matrix with = answerOf(bare, {{"final-norm", "plain"}})->features;
  for (Eigen::Index token = 0; token < without.rows(); ++token) {
    const Eigen::ArrayXf centred = without.row(token).array() - without.row(token).mean();
    const float deviation = std::sqrt(centred.square().mean() + 1e-5f);
    EXPECT_TRUE(with.row(token).transpose().isApprox((centred / deviation).matrix(), 1e-4f));
  }
  ModelRequest request;
  request.pooling = "mean";
  const Checkpoint headed = plainNetwork({"end."}, {});
  EXPECT_THAT(identifyModel(headed, request).setting("final-norm")->choices,
              Contains("plain-pooled"));
  request.norm = "post";
  EXPECT_THAT(doubtsOf(identifyModel(headed, request)), Not(Contains("final-norm")));
  request.finalNorm = "none";
  EXPECT_EQ(identifyModel(headed, request).setting("final-norm")->value, "none");
}

TEST(OuterParts, NoActivationStandsBetweenNeighboursOfASequential) {
  const Shapes head{
      {"out.0.weight", {20, 24}}, {"out.1.weight", {16, 20}}, {"out.3.weight", {7, 16}}};
  const Checkpoint headed = plainNetwork({"out."}, head);
  const Matrix tokens = answerOf(plainNetwork({"out."}, {}), {})->features;
  std::vector<float> x = productWith(*headed.state.find("out.0.weight"), numbersOf(tokens, 0, 1));
  x = productWith(*headed.state.find("out.1.weight"), x);
  for (float& number : x) number = std::max(number, 0.0f);
  expectClose(answerOf(headed, {{"head-activation", "relu"}})->logits,
              productWith(*headed.state.find("out.3.weight"), x));
}

TEST(OuterParts, ProductsThatMayStandBesideTheClassesAreRefused) {
  const auto refusedAs = [](const Shapes& head) {
    return refusalOfParts(plainNetwork({"out."}, head));
  };
  EXPECT_THAT(
      refusedAs({{"proj.0.weight", {36, 24}}, {"proj.2.weight", {24, 36}}, {"fc.weight", {7, 24}}}),
      HasSubstr("'proj.2' gives out the tokens' width again, and nothing tells whether 'fc'"));
  EXPECT_THAT(refusedAs({{"heads.embed.weight", {24, 24}}, {"heads.cls.weight", {7, 24}}}),
              HasSubstr("ambiguous Linear: 'heads.embed'"));
  EXPECT_THAT(
      refusedAs({{"proj.0.weight", {36, 24}}, {"proj.2.weight", {20, 36}}, {"fc.weight", {7, 20}}}),
      HasSubstr("whether one stands between 'proj.2' and 'fc'"));
  EXPECT_EQ(
      refusedAs({{"fc1.weight", {36, 24}}, {"fc2.weight", {24, 36}}, {"fc3.weight", {7, 24}}}), "");
  EXPECT_EQ(refusedAs({{"pooler.dense.weight", {36, 24}}, {"fc.weight", {7, 36}}}), "");
  EXPECT_EQ(refusedAs({{"pooler.dense.weight", {24, 24}}, {"fc.weight", {7, 24}}}), "");
  const std::pair<const char*, const char*> series[] = {{"top.dense.weight", "top.out_proj.weight"},
                                                        {"top.pre_logits.weight", "top.z.weight"}};
  for (const auto& [first, last] : series) {
    EXPECT_EQ(refusedAs({{first, {24, 24}}, {last, {7, 24}}}), "") << first;
  }
  const Shapes flat{{"fc1.weight", {36, 24}}, {"fc2.weight", {24, 36}}, {"out.weight", {7, 24}}};
  EXPECT_THAT(refusalOfParts(plainNetwork({"out.", ".up.", ".down.", ".b.", "gamma_2"}, flat)),
              HasSubstr("'fc1' may be the one of every block"));
}

TEST(OuterParts, ABatchNormInTheHeadIsSaidToBeThere) {
  Shapes head{{"out.0.weight", {20, 24}}};
  for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
    head.push_back({std::string("out.1.") + part, {20}});
  }
  head.push_back({"out.3.weight", {7, 20}});
  EXPECT_THAT(refusalOfParts(plainNetwork({"out."}, head)),
              HasSubstr("'out.1' [20], a batch norm among products"));
}

TEST(OuterParts, WhatIsAddedToAllTokensIsNoToken) {
  const Shapes added{
      {"token_type_embedding", {1, 1, 24}}, {"patch_token_bias", {1, 1, 24}},
      {"domain_token", {3, 1, 24}},         {"level_embed", {4, 24}},
      {"task_embed", {1, 1, 24}},           {"token_type_embeddings.weight", {2, 24}},
      {"segment_embed.weight", {3, 24}},    {"extra_embeds", {4, 24}}};
  for (const auto& [name, shape] : added) {
    EXPECT_THAT(refusalOfParts(plainNetwork({}, {{name, shape}})),
                HasSubstr("is not that of tokens"))
        << name;
  }
  for (const char* name : {"mem_tokens", "task_tokens", "camera_token"}) {
    EXPECT_EQ(refusalOfParts(plainNetwork({}, {{name, {4, 24}}})), "") << name;
  }
  EXPECT_THAT(refusalOfParts(plainNetwork({"first"}, {{"source_embedding", {1, 1, 24}}})),
              HasSubstr("is not that of tokens"));
  EXPECT_EQ(refusalOfParts(plainNetwork({"first"}, {{"cls_embedding", {1, 1, 24}}})), "");
  EXPECT_THAT(refusalOfParts(plainNetwork({"first"}, {{"pool_token", {1, 1, 24}}})),
              HasSubstr("is not that of tokens"));
  EXPECT_THAT(refusalOfParts(plainNetwork({"first", "table"},
                                          {{"cls_tok", {1, 2, 24}}, {"table", {1, 18, 24}}})),
              HasSubstr("several class tokens"));
}

TEST(OuterParts, AHeadWithoutBiasesIsNoTableOfPositions) {
  for (const std::int64_t classes : {10, 16, 17, 100}) {
    const ModelSummary summary = identifyModel(plainNetwork(
        {"out.", "table"}, {{"out.0.weight", {24, 24}}, {"out.2.weight", {classes, 24}}}));
    EXPECT_EQ(summary.classes, classes);
    EXPECT_THAT(doubtsOf(summary), Contains("positions"));
  }
  EXPECT_EQ(
      identifyModel(plainNetwork({"out."}, {{"z.0.weight", {24, 24}}, {"z.2.weight", {10, 24}}}))
          .classes,
      10);
  const Shapes untold{{"hidden.weight", {24, 24}}, {"z.weight", {10, 24}}};
  EXPECT_THAT(refusalOfParts(plainNetwork({"out.", "table"}, untold)),
              HasSubstr("'z' [10, 24] may hold positions or be the last product of the head"));
}

TEST(OuterParts, ATableAsWideAsLongIsAskedForItsColumns) {
  Checkpoint rows = plainNetwork({"table", "out."}, {{"table", {1, 24, 24}}});
  rows.metadata = {{"image_size", "28,42"}};
  EXPECT_THAT(doubtsOf(identifyModel(rows)), Contains("positions"));
  EXPECT_EQ(identifyModel(rows).setting("positions")->value, "learned");
  Checkpoint columns = rows;
  columns.state.insert("table", rows.state.find("table")->transpose(1, 2).contiguous());
  const Matrix tokens = answerOf(rows, {{"positions", "learned"}}, 28, 42)->features;
  const Options turned{{"positions", "learned_columns"}};
  EXPECT_TRUE(answerOf(columns, turned, 28, 42)->features.isApprox(tokens, 1e-4f));
  EXPECT_FALSE(answerOf(rows, turned, 28, 42)->features.isApprox(tokens, 1e-2f));
}

TEST(OuterParts, ListsOfHeadsInTheOnlyBlockAreNoBlocks) {
  Shapes heads;
  for (const char* head : {"0", "1"}) {
    for (const char* part : {"key", "query", "value"}) {
      heads.push_back(
          {std::string("units.0.look.heads.") + head + "." + part + ".weight", {12, 24}});
    }
  }
  heads.push_back({"units.0.look.back.weight", {24, 24}});
  for (const auto& mlp :
       Shapes{{"units.0.up.weight", {36, 24}}, {"units.0.down.weight", {24, 36}}}) {
    heads.push_back(mlp);
  }
  heads.push_back({"out.weight", {7, 24}});
  const ModelSummary summary = identifyModel(plainNetwork({"units.", "out."}, heads));
  ASSERT_EQ(summary.layers.size(), 1u);
  EXPECT_EQ(summary.layers.front().name, "units.0.look");
  EXPECT_EQ(summary.heads, std::vector<int>{2});
}

TEST(OuterParts, AConvolutionOfValuesMayStandBesideSoftmax) {
  const std::string name = "linear_nystrom";
  EXPECT_EQ(identifyModel(HandWrittenCases::request(name, "")).setting("attention")->choices,
            Pieces{"nystrom"});
  Shapes filters;
  for (const char* block : {"0", "1"}) {
    filters.push_back({std::string("layers.") + block + ".attn.mix.weight", {2, 1, 9, 1}});
  }
  Checkpoint mixed = rebuilt(name, {"res_conv"}, filters);
  EXPECT_THAT(doubtsOf(identifyModel(mixed)), Contains("attention"));
  const Options softmax{{"attention", "softmax"}, {"heads", "2"}};
  const auto with = answerOf(mixed, softmax);
  EXPECT_NE(with->layers.front().attention->description().beside, "");
  for (const auto& [filter, shape] : filters) {
    mixed.state.insert(filter, torch::zeros(shape));
  }
  const std::vector<float> without = answerOf(rebuilt(name, {"res_conv"}, {}), softmax)->logits;
  expectClose(answerOf(mixed, softmax)->logits, without);
  EXPECT_GT(std::abs(with->logits.front() - without.front()), 1e-3f);
}

TEST(OuterParts, AHeadOfOneNumberOfEachChannelTakesPicturesOfAnySize) {
  const Checkpoint pooled = rebuilt("nonlocal_dot", {"fc."}, {{"fc.weight", {10, 16}}});
  const ModelSummary summary = identifyModel(pooled);
  EXPECT_THAT(doubtsOf(summary), Contains("pooling"));
  EXPECT_THAT(doubtsOf(summary), Contains("size"));
  EXPECT_EQ(summary.transform.height, 32);
  EXPECT_EQ(answerOf(pooled, {}, 28, 28)->logits.size(), 10u);
  EXPECT_EQ(answerOf(pooled, {{"pooling", "max"}}, 40, 64)->logits.size(), 10u);
}

TEST(OuterParts, PositionsOfVitPytorchAreCutAndOthersResized) {
  const auto answerAt = [](const Checkpoint& checkpoint, int side) {
    const TemporaryFolder folder;
    ModelRequest request = HandWrittenCases::request("vp_vit", "");
    request.path = folder.file("cut.safetensors");
    writeSafetensors(request.path, checkpoint.state, {});
    InputTensor input{side, side, std::vector<float>(static_cast<std::size_t>(3 * side * side)), 3};
    for (std::size_t i = 0; i < input.values.size(); ++i) {
      input.values[i] = std::sin(0.37f * static_cast<float>(i));
    }
    return inspect(*openModel(request), input)->logits;
  };
  Checkpoint whole = readCheckpoint(HandWrittenCases::request("vp_vit", "").path);
  const int side = identifyModel(whole).transform.height;
  const torch::Tensor table = *whole.state.find("pos_embedding");
  const std::int64_t patches = table.numel() / table.size(-1) - 1;
  Checkpoint cut = whole;
  cut.state = {};
  for (const StateDict::Entry& entry : whole.state.entries()) {
    const torch::Tensor rows = table.reshape({-1, table.size(-1)}).slice(0, 0, 1 + patches / 4);
    cut.state.insert(entry.name, entry.name == "pos_embedding" ? rows.clone() : entry.tensor);
  }
  expectClose(answerAt(whole, side / 2), answerAt(cut, side / 2));
  EXPECT_THAT(identifyModel(whole).takenForGranted, Not(HasSubstr("resized")));
  EXPECT_THAT(identifyModel(plainNetwork({}, {})).takenForGranted,
              HasSubstr("positions of 4 x 4 patches are resized to pictures of other sizes"));
  ModelRequest request;
  request.size = "14x21";
  EXPECT_THAT(identifyModel(plainNetwork({}, {}), request).takenForGranted,
              HasSubstr("positions of 4 x 4 patches are resized to 2 x 3"));
}

/// Returns the plain network with filters for coloured pictures, and buffers that norm their
/// pixels.
Checkpoint networkWithBuffers(const std::string& mean, const torch::Tensor& means,
                              const std::string& deviation, const torch::Tensor& deviations) {
  Checkpoint checkpoint = plainNetwork({}, {});
  const torch::Tensor filters = *checkpoint.state.find("embed.weight");
  checkpoint.state.insert("embed.weight", filters.repeat({1, 3, 1, 1}));
  checkpoint.state.insert(mean, means);
  checkpoint.state.insert(deviation, deviations);
  return checkpoint;
}

TEST(OuterParts, BuffersThatNormPixelsAreOfTheNetwork) {
  for (const char* name : {"mean", "pixel_mean", "embed.img_mean"}) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{3}, {3, 1, 1}, {1, 3, 1, 1}}) {
      std::string deviation = name;
      deviation.replace(deviation.size() - 4, 4, "std");
      const torch::Tensor means = torch::full(shape, 0.25);
      const ModelSummary summary =
          identifyModel(networkWithBuffers(name, means, deviation, torch::full(shape, 0.5)));
      EXPECT_EQ(summary.transform.mean[1], 0.0f) << name;
      EXPECT_EQ(summary.transform.deviation[2], 1.0f) << name;
      EXPECT_THAT(summary.setting("mean")->source, HasSubstr(name));
      EXPECT_THAT(doubtsOf(summary), Not(Contains("mean")));
      EXPECT_TRUE(summary.foreign.empty()) << name;
      EXPECT_THAT(
          refusalOfParts(networkWithBuffers(name, means, deviation, torch::full(shape, 57.4))),
          HasSubstr("do not lie between 0 and 1"))
          << name;
    }
  }
}

TEST(OuterParts, BuffersThatNormPixelsServeTensorsAsWell) {
  const auto answer = [](float mean, float deviation, float pixel) {
    const TemporaryFolder folder;
    ModelRequest request;
    request.path = folder.file("normed.safetensors");
    const Checkpoint checkpoint = networkWithBuffers("pixel_mean", torch::full({3, 1, 1}, mean),
                                                     "pixel_std", torch::full({3}, deviation));
    writeSafetensors(request.path, checkpoint.state, {});
    const InputTensor input{28, 28, std::vector<float>(3 * 28 * 28, pixel), 3};
    return inspect(*openModel(request), input)->logits;
  };
  expectClose(answer(0.25f, 0.5f, 0.5f), answer(0, 1, 0.5f));
  expectClose(answer(0.25f, 0.5f, 0.75f), answer(0, 1, 1));
}

TEST(OuterParts, ALinearOfPatchesThatAreNoSquaresIsNamed) {
  EXPECT_THAT(
      refusalOfParts(plainNetwork({"embed."}, {{"embed.weight", {24, 96}}, {"embed.bias", {24}}})),
      HasSubstr("no square patches: 'embed' [24, 96]"));
}

TEST(OuterParts, ARelativeOfSimpleVitAddsSines) {
  const test::Shapes head{{"linear_head.weight", {7, 24}}, {"linear_head.bias", {7}}};
  for (const bool isRelative : {true, false}) {
    test::Shapes added{{isRelative ? "to_patch_embedding.1.weight" : "tokens.1.weight", {24, 147}}};
    added.insert(added.end(), head.begin(), head.end());
    const ModelSummary summary =
        identifyModel(plainNetwork({"embed.", "out.", "table", "first"}, added));
    EXPECT_EQ(summary.setting("positions")->value, isRelative ? "sincos2d" : "none");
    EXPECT_THAT(doubtsOf(summary), Contains("positions"));
  }
}

}  // namespace
}  // namespace softscope
