#include "core/Error.h"
#include "models/OpenModel.h"
#include "models/structure/NonLocalCnnNetwork.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/structure/ChangedCases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A convolution that keeps the picture's size, a non-local block, and a head that takes 1 x 4
/// places.
NonLocalCnnStructure networkOfOneRow(bool poolsKeys) {
  NonLocalCnnStructure structure;
  structure.steps = {CnnConvolution{"conv", {6, 3, 3, 3}, true, 1, 1},
                     CnnNonLocal{.path = "nl",
                                 .channels = 6,
                                 .inner = 3,
                                 .g = "nl.g",
                                 .theta = "nl.theta",
                                 .phi = "nl.phi",
                                 .output = "nl.W",
                                 .outputNorm = {},
                                 .concatenation = {}},
                     CnnFlattening{}, CnnProduct{"head", 24, 2, true}};
  structure.poolsKeys = poolsKeys;
  structure.classes = 2;
  structure.height = 1;
  structure.width = 4;
  return structure;
}

std::string refusalOf(const NonLocalCnnNetwork& network, int height, int width) {
  return test::messageOf<InspectionError>([&] { network.checkInputSize(height, width); });
}

TEST(NonLocalCnnNetwork, TakesAMapOfOneRowUnlessKeysArePooled) {
  const torch::NoGradGuard noGradient;
  NonLocalCnnNetwork network(networkOfOneRow(false));
  for (torch::Tensor& parameter : network.parameters()) parameter.fill_(0.1f);
  EXPECT_EQ(refusalOf(network, 1, 4), "");
  EXPECT_EQ(network.forward(torch::ones({1, 3, 1, 4}), nullptr).size(1), 2);
  EXPECT_THAT(refusalOf(network, 2, 4), testing::HasSubstr("this model's head does not take"));
  EXPECT_THAT(refusalOf(NonLocalCnnNetwork(networkOfOneRow(true)), 1, 4),
              testing::HasSubstr("too small for this model's non-local block"));
}

TEST(NonLocalCnnNetwork, PoolsAllPlacesOfPicturesOfAnySize) {
  const torch::NoGradGuard noGradient;
  NonLocalCnnStructure structure;
  structure.steps = {CnnPooling{2, true}, CnnGlobalPooling{}, CnnProduct{"head", 3, 1, false}};
  NonLocalCnnNetwork mean(structure);
  structure.takesLargest = true;
  NonLocalCnnNetwork largest(structure);
  for (torch::Tensor& parameter : mean.parameters()) parameter.fill_(1);
  for (torch::Tensor& parameter : largest.parameters()) parameter.fill_(1);
  // Means of 2 x 2 are 2.5 and 4.5 in the first channel.
  const torch::Tensor pictures = torch::arange(24, torch::kFloat32).reshape({1, 3, 2, 4});
  EXPECT_FLOAT_EQ(mean.forward(pictures, nullptr).item<float>(), 3.5f + 11.5f + 19.5f);
  EXPECT_FLOAT_EQ(largest.forward(pictures, nullptr).item<float>(), 4.5f + 12.5f + 20.5f);
  EXPECT_EQ(refusalOf(mean, 6, 8), "");
  EXPECT_THAT(refusalOf(mean, 1, 8), testing::HasSubstr("this model's head does not take"));
}

constexpr std::int64_t mapChannels = 8;
constexpr int pictureSide = 12;

/// Names of a block's parts below its path.
struct PartNames {
  const char *theta, *phi, *g, *output;
  const char* norm = nullptr;  ///< behind an output without biases
};

/// A convolution, a block at `nl` and a head that takes one number of each channel.
class OneBlock {
 public:
  OneBlock() {
    torch::manual_seed(3);
    checkpoint.path = "block.pth";
    add("conv_1.0", {mapChannels, 1, 3, 3});
  }
  explicit OneBlock(const PartNames& names, std::int64_t inner) : OneBlock() {
    block(names, inner);
  }

  OneBlock& add(const std::string& path, const std::vector<std::int64_t>& shape,
                bool hasBias = true) {
    checkpoint.state.insert(path + ".weight", torch::randn(shape) * 0.5);
    if (hasBias) checkpoint.state.insert(path + ".bias", torch::randn({shape.front()}) * 0.2);
    return *this;
  }
  OneBlock& bare(const std::string& name) {
    checkpoint.state.insert(name, torch::ones({1}));
    return *this;
  }
  OneBlock& block(const PartNames& names, std::int64_t inner, const std::string& path = "nl.") {
    for (const char* part : {names.theta, names.phi, names.g}) {
      if (part != nullptr) add(path + part, {inner, mapChannels, 1, 1});
    }
    add(path + names.output, {mapChannels, inner, 1, 1}, names.norm == nullptr);
    if (names.norm != nullptr) {
      add(path + names.norm, {mapChannels});
      checkpoint.state.insert(path + names.norm + ".running_mean", torch::randn({mapChannels}));
      checkpoint.state.insert(path + names.norm + ".running_var", torch::rand({mapChannels}) + 0.5);
    }
    return *this;
  }
  /// Adds the head, and returns the file.
  const Checkpoint& whole() {
    if (!checkpoint.state.contains("fc.weight")) add("fc", {5, mapChannels});
    return checkpoint;
  }

  Checkpoint checkpoint;
};

/// The weights and the logits of a network, computed as the authors' code does.
struct OwnNumbers {
  torch::Tensor weights, logits;
};

OwnNumbers numbersOf(const Checkpoint& checkpoint, const PartNames& names, double scale,
                     bool poolsKeys) {
  const auto of = [&](const std::string& name) {
    const torch::Tensor* found = checkpoint.state.find(name);
    return found != nullptr ? *found : torch::Tensor();
  };
  const auto convolved = [&](const torch::Tensor& x, const std::string& path, int padding) {
    return at::conv2d(x, of(path + ".weight"), of(path + ".bias"), 1, padding);
  };
  const auto pooled = [&](const torch::Tensor& x) { return poolsKeys ? at::max_pool2d(x, 2) : x; };
  const std::string path = "nl.";
  torch::Tensor x = torch::sin(0.37 * torch::arange(pictureSide * pictureSide, torch::kFloat32));
  x = convolved(x.reshape({1, 1, pictureSide, pictureSide}), "conv_1.0", 1);
  x = at::max_pool2d(at::relu(x), 2);
  const bool embeds = names.theta != nullptr;
  const torch::Tensor theta = embeds ? convolved(x, path + names.theta, 0) : x;
  const torch::Tensor phi = pooled(embeds ? convolved(x, path + names.phi, 0) : x);
  const torch::Tensor g = pooled(convolved(x, path + names.g, 0));
  const torch::Tensor products = at::matmul(theta.flatten(2).transpose(1, 2), phi.flatten(2));
  OwnNumbers numbers;
  numbers.weights = (products * scale).softmax(-1);
  torch::Tensor y = at::matmul(numbers.weights, g.flatten(2).transpose(1, 2)).transpose(1, 2);
  y = convolved(y.reshape({1, g.size(1), x.size(2), x.size(3)}), path + names.output, 0);
  if (names.norm != nullptr) {
    const std::string norm = path + names.norm;
    y = at::batch_norm(y, of(norm + ".weight"), of(norm + ".bias"), of(norm + ".running_mean"),
                       of(norm + ".running_var"), false, 0.1, 1e-5, false);
  }
  numbers.logits = at::linear((x + y).mean({2, 3}), of("fc.weight"), of("fc.bias"));
  return numbers;
}

/// How far the largest of a network's weights and logits are from those of its own code.
double differenceFromOwn(const Checkpoint& checkpoint, const PartNames& names, double scale,
                         bool poolsKeys, const test::Options& options = {}) {
  const OwnNumbers own = numbersOf(checkpoint, names, scale, poolsKeys);
  const auto answer = test::answerOf(checkpoint, options, pictureSide, pictureSide);
  if (answer->layers.size() != 1) return INFINITY;
  double largest = 0;
  for (std::int64_t i = 0; i < own.logits.size(1); ++i) {
    const double logit = answer->logits.at(static_cast<std::size_t>(i));
    largest = std::max(largest, std::abs(logit - own.logits[0][i].item<double>()));
  }
  const AttentionMap& map = *answer->layers.front().attention;
  for (int query = 0; query < own.weights.size(1); ++query) {
    const auto row = map.row(0, query);
    if (row.size() != own.weights.size(2)) return INFINITY;
    for (int key = 0; key < row.size(); ++key) {
      const double weight = own.weights[0][query][key].item<double>();
      largest = std::max(largest, std::abs(row[key] - weight));
    }
  }
  return largest;
}

constexpr PartNames ofPaper{"theta", "phi", "g", "W"};
constexpr PartNames pooledNames{"theta", "phi.0", "g.0", "W.0", "W.1"};
constexpr PartNames ofMmcv{"theta.conv", "phi.conv", "g.conv", "conv_out.conv", "conv_out.bn"};
constexpr PartNames ofLetters{"query", "key", "value", "proj"};
constexpr PartNames gaussianNames{nullptr, nullptr, "g", "W"};

TEST(NonLocalCnnNetwork, ComputesBlocksOfAnyInnerWidth) {
  for (const std::int64_t inner : {1, 2, 4, 8, 12, 16}) {
    SCOPED_TRACE(inner);
    const Checkpoint paper = OneBlock(ofPaper, inner).whole();
    EXPECT_LT(differenceFromOwn(paper, ofPaper, 1, false), 1e-5);
    const Checkpoint pooled = OneBlock(pooledNames, inner).whole();
    EXPECT_LT(differenceFromOwn(pooled, pooledNames, 1, true), 1e-5);
    const Checkpoint letters = OneBlock(ofLetters, inner).whole();
    EXPECT_LT(differenceFromOwn(letters, ofLetters, 1, false), 1e-5);
    const Checkpoint gaussian = OneBlock(gaussianNames, inner).whole();
    EXPECT_LT(differenceFromOwn(gaussian, gaussianNames, 1, false), 1e-5);
    const Checkpoint mmcv = OneBlock(ofMmcv, inner).whole();
    const double root = 1 / std::sqrt(static_cast<double>(inner));
    EXPECT_LT(differenceFromOwn(mmcv, ofMmcv, root, false), 1e-5);
    EXPECT_LT(differenceFromOwn(mmcv, ofMmcv, 1, false, {{"scale", "none"}}), 1e-5);
  }
}

TEST(NonLocalCnnNetwork, SaysThatScaleAndHeadsAreAssumed) {
  Checkpoint mmcv = OneBlock(ofMmcv, 4).whole();
  EXPECT_THAT(test::doubtsOf(identifyModel(mmcv)), Contains("scale"));
  mmcv.metadata = {{"config.use_scale", "False"}};
  EXPECT_THAT(test::doubtsOf(identifyModel(mmcv)), Not(Contains("scale")));
  EXPECT_EQ(identifyModel(mmcv).setting("scale")->value, "none");
  const Checkpoint letters = OneBlock(ofLetters, 8).whole();
  EXPECT_THAT(test::doubtsOf(identifyModel(letters)), Contains("heads"));
  EXPECT_THAT(test::refusalOfParts(letters, {{"heads", "2"}}), HasSubstr("leave out --heads"));
  const Checkpoint paper = OneBlock(ofPaper, 8).whole();
  EXPECT_THAT(test::doubtsOf(identifyModel(paper)), Not(Contains("heads")));
}

TEST(NonLocalCnnNetwork, LaysNoAttentionOfAnotherFormOutInARow) {
  const std::int64_t c = mapChannels;
  const auto beside = [] { return OneBlock(ofPaper, 4); };
  const Checkpoint others[] = {
      // Values and scores of several widths.
      beside()
          .add("sa.theta", {1, c, 1, 1})
          .add("sa.phi", {1, c, 1, 1})
          .add("sa.g", {4, c, 1, 1})
          .add("sa.o", {c, 4, 1, 1})
          .whole(),
      // No output, or one that nothing tells from the others.
      beside()
          .add("sa.q", {c, c, 1, 1})
          .add("sa.k", {c, c, 1, 1})
          .add("sa.v", {c, c, 1, 1})
          .whole(),
      beside()
          .add("sa.a", {c, c, 1, 1})
          .add("sa.b", {c, c, 1, 1})
          .add("sa.c", {c, c, 1, 1})
          .add("sa.d", {c, c, 1, 1})
          .whole(),
      beside().add("mu", {c, c, 1, 1}).whole(),
      // A block with a gate or with a norm of its own.
      OneBlock(ofPaper, c).bare("nl.gamma").whole(),
      OneBlock({"theta", "phi", "g.0", "W", "g.1"}, c).whole(),
      OneBlock().add("sa.query", {c, c}).add("sa.key", {c, c}).block(ofPaper, 4).whole(),
  };
  for (const Checkpoint& other : others) {
    const std::string refusal = test::refusalOfParts(other);
    EXPECT_THAT(refusal, HasSubstr("docs/python.md"));
  }
  const std::string kinds =
      test::refusalOfParts(OneBlock(ofPaper, 4).block(gaussianNames, 4, "other.").whole());
  EXPECT_THAT(kinds, HasSubstr("of several kinds"));
}

TEST(NonLocalCnnNetwork, NamesNetworksWithOtherAttention) {
  const std::int64_t c = mapChannels;
  const auto refusal = [](OneBlock& network) { return test::refusalOfParts(network.whole()); };
  for (const bool isBeside : {false, true}) {
    const auto start = [&] { return isBeside ? OneBlock(ofPaper, 4) : OneBlock(); };
    EXPECT_THAT(refusal(start()
                            .bare("pam.gamma")
                            .add("pam.query_conv", {1, c, 1, 1})
                            .add("pam.key_conv", {1, c, 1, 1})
                            .add("pam.value_conv", {c, c, 1, 1})),
                HasSubstr("DANet"));
    EXPECT_THAT(
        refusal(
            start().add("gc.conv_mask", {1, c, 1, 1}).add("gc.channel_add_conv.0", {2, c, 1, 1})),
        HasSubstr("GCNet"));
    EXPECT_THAT(refusal(start()
                            .add("a2.convA", {c, c, 1, 1})
                            .add("a2.convB", {c, c, 1, 1})
                            .add("a2.convV", {c, c, 1, 1})
                            .add("a2.conv_reconstruct", {c, c, 1, 1})),
                HasSubstr("A2-Net"));
    EXPECT_THAT(refusal(start().bare("emau.mu").add("emau.conv1", {c, c, 1, 1})),
                HasSubstr("EMANet"));
  }
  // A ResNet with such blocks is no network without attention.
  OneBlock residual;
  residual.add("bn1", {c})
      .add("layer1.0.conv1", {c, c, 3, 3})
      .block(ofMmcv, 4, "layer1.0.non_local.");
  EXPECT_THAT(refusal(residual), Not(HasSubstr("without attention")));
}

}  // namespace
}  // namespace softscope
