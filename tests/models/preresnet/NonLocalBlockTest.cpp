#include "core/checkpoint/Checkpoint.h"
#include "models/identify/Parameters.h"
#include "models/layers/Initialisation.h"
#include "models/preresnet/NonLocalBlock.h"
#include "tests/models/Golden.h"
#include "tests/models/attention/LastLayerRecorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {
namespace {

struct NonLocalGolden {
  const char* name;
  NonLocalMechanism mechanism;
};

class GoldenNonLocalTest : public ::testing::TestWithParam<NonLocalGolden> {};

/// Parity with Non-local_pytorch, the blocks of Wang et al. in PyTorch: one head, half the
/// channels, a norm after W.
TEST_P(GoldenNonLocalTest, OutputAndAttention) {
  const std::string path = goldenPath(std::string("blocks/nonlocal_") + GetParam().name);
  NonLocalBlock block(NonLocalBlockOptions{.name = "block",
                                           .channels = 32,
                                           .embedding = 16,
                                           .mechanism = GetParam().mechanism,
                                           .softmaxScale = 1});
  const Checkpoint checkpoint = readCheckpoint(path + ".pth");
  const ParameterMatch match = matchParameters(*block, checkpoint.state);
  ASSERT_TRUE(match.complete());
  EXPECT_TRUE(match.unexpected.empty());
  loadParameters(*block, checkpoint.state, torch::kCPU);
  block->eval();

  FloatArray input = readNpy(path + ".input.npy");
  LastLayerRecorder recorder;
  const torch::Tensor output =
      block->forward(torch::from_blob(input.values.data(), {1, 32, 8, 12}), &recorder);
  EXPECT_LT(difference(valuesOf(output), readNpy(path + ".output.npy")), 1e-4);
  const AttentionMap& map = *recorder.layer().attention;
  EXPECT_LT(difference(rowsOf(map), readNpy(path + ".attention.npy")), 1e-4);
  EXPECT_EQ(map.description().mechanism, mechanismName(GetParam().mechanism));
  EXPECT_EQ(map.description().queryGrid, (TokenGrid{8, 12}));
  EXPECT_EQ(map.description().keyGrid, (TokenGrid{8, 12}));
}

INSTANTIATE_TEST_SUITE_P(Blocks, GoldenNonLocalTest,
                         ::testing::Values(NonLocalGolden{"embedded_gaussian", {}},
                                           NonLocalGolden{"dot_product",
                                                          {NonLocalMechanism::Normalisation::Dot}}),
                         [](const auto& test) { return std::string(test.param.name); });

/// What the papers' formulas give in float64, by plain loops.
struct Direct {
  std::vector<float> attention;  ///< [heads, n, n]
  std::vector<float> output;     ///< [C, n]
};

using Doubles = std::vector<std::vector<double>>;

/// y[o][p] = sum_i weight[o][i] x[i][p] + bias[o].
Doubles project(const ConvolutionImpl& layer, const Doubles& x) {
  const auto outputs = static_cast<std::size_t>(layer.weight.size(0));
  const std::vector<float> weight = valuesOf(layer.weight);
  const std::vector<float> bias = valuesOf(layer.bias);
  Doubles y(outputs, std::vector<double>(x.front().size()));
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t p = 0; p < x.front().size(); ++p) {
      y[o][p] = bias[o];
      for (std::size_t i = 0; i < x.size(); ++i) y[o][p] += weight[o * x.size() + i] * x[i][p];
    }
  }
  return y;
}

/// theta(x_i) . phi(x_j) of the channels [first, last), of whole vectors, norms or unit vectors.
double product(const Doubles& theta, const Doubles& phi, std::size_t first, std::size_t last,
               std::size_t i, std::size_t j, NonLocalMechanism::Part part) {
  double dot = 0;
  double queryNorm = 0;
  double keyNorm = 0;
  for (std::size_t c = first; c < last; ++c) {
    dot += theta[c][i] * phi[c][j];
    queryNorm += theta[c][i] * theta[c][i];
    keyNorm += phi[c][j] * phi[c][j];
  }
  const double norms = std::sqrt(queryNorm) * std::sqrt(keyNorm);
  if (part == NonLocalMechanism::Part::Magnitude) return norms;
  return part == NonLocalMechanism::Part::Direction ? dot / norms : dot;
}

/// One query's row of a head of `width` channels.
std::vector<double> attend(std::vector<double> products, std::size_t width,
                           NonLocalMechanism::Normalisation normalisation) {
  const auto n = static_cast<double>(products.size());
  const auto channels = static_cast<double>(width);
  double sum = 0;
  for (double& x : products) {
    switch (normalisation) {
      case NonLocalMechanism::Normalisation::Softmax:
        x = std::exp(x / std::sqrt(channels));
        break;
      case NonLocalMechanism::Normalisation::Scaled:
        x /= std::sqrt(channels * n);
        break;
      case NonLocalMechanism::Normalisation::Dot:
        x /= n;
        break;
    }
    sum += x;
  }
  if (normalisation == NonLocalMechanism::Normalisation::Softmax) {
    for (double& x : products) x /= sum;
  }
  return products;
}

Direct evaluate(const torch::nn::Module& block, const torch::Tensor& map, int heads,
                const NonLocalMechanism& mechanism) {
  const auto children = block.named_children();
  const auto layer = [&](const char* name) -> const ConvolutionImpl& {
    return *children[name]->as<ConvolutionImpl>();
  };
  const auto channels = static_cast<std::size_t>(map.size(1));
  const auto n = static_cast<std::size_t>(map.size(2) * map.size(3));
  const std::vector<float> pixels = valuesOf(map);
  Doubles x(channels, std::vector<double>(n));
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < n; ++p) x[c][p] = pixels[c * n + p];
  }
  const Doubles theta = project(layer("theta"), x);
  const Doubles phi = project(layer("phi"), x);
  const Doubles g = project(layer("g"), x);
  const std::size_t width = theta.size() / static_cast<std::size_t>(heads);

  Direct direct;
  Doubles attended(theta.size(), std::vector<double>(n));
  for (std::size_t first = 0; first < theta.size(); first += width) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> row(n);
      for (std::size_t j = 0; j < n; ++j) {
        row[j] = product(theta, phi, first, first + width, i, j, mechanism.part);
      }
      row = attend(std::move(row), width, mechanism.normalisation);
      direct.attention.insert(direct.attention.end(), row.begin(), row.end());
      for (std::size_t c = first; c < first + width; ++c) {
        attended[c][i] = std::inner_product(row.begin(), row.end(), g[c].begin(), 0.0);
      }
    }
  }
  const Doubles output = project(layer("W"), attended);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < n; ++p) {
      direct.output.push_back(static_cast<float>(x[c][p] + output[c][p]));
    }
  }
  return direct;
}

void randomiseBlock(torch::nn::Module& block, unsigned seed) {
  at::manual_seed(seed);
  const torch::NoGradGuard noGradient;
  for (torch::Tensor& parameter : block.parameters()) parameter.normal_(0, 0.5);
}

using Form = std::tuple<std::string, int, TokenGrid>;

class NonLocalFormTest : public ::testing::TestWithParam<Form> {};

TEST_P(NonLocalFormTest, EqualsADirectEvaluation) {
  const auto& [name, heads, grid] = GetParam();
  const NonLocalMechanism mechanism = nonLocalMechanism(name).value();
  constexpr int channels = 12;
  NonLocalBlock block(NonLocalBlockOptions{.name = "stage2.nonlocal0",
                                           .channels = channels,
                                           .embedding = 16,
                                           .heads = heads,
                                           .norm = false,
                                           .mechanism = mechanism,
                                           .softmaxScale = {}});
  randomiseBlock(*block, 5);
  const torch::Tensor map = at::randn({1, channels, grid.height, grid.width});
  const torch::NoGradGuard noGradient;
  LastLayerRecorder recorder;
  const torch::Tensor output = block->forward(map, &recorder);
  const Direct direct = evaluate(*block, map, heads, mechanism);
  EXPECT_LT(difference(valuesOf(output), {{}, direct.output}), 1e-5);
  const LayerInspection& layer = recorder.layer();
  EXPECT_EQ(layer.name, "stage2.nonlocal0");
  EXPECT_LT(difference(rowsOf(*layer.attention), {{}, direct.attention}), 1e-5);
  EXPECT_EQ(layer.attention->description().mechanism, name);
  EXPECT_EQ(layer.attention->description().heads, heads);
  EXPECT_EQ(layer.attention->description().queryGrid, grid);
}

// 15 positions; and 6, fewer than the 16 channels of one head.
INSTANTIATE_TEST_SUITE_P(Forms, NonLocalFormTest,
                         ::testing::Combine(::testing::ValuesIn(nonLocalMechanisms()),
                                            ::testing::Values(1, 2, 4),
                                            ::testing::Values(TokenGrid{3, 5}, TokenGrid{2, 3})));

TEST(NonLocalMechanism, HasTheNamesOfTheCommandLine) {
  const std::vector<std::string> expected{
      "nonlocal",        "nonlocal_magnitude",        "nonlocal_direction",
      "nonlocal_scaled", "nonlocal_scaled_magnitude", "nonlocal_scaled_direction",
      "nonlocal_dot",    "nonlocal_dot_magnitude",    "nonlocal_dot_direction"};
  EXPECT_EQ(nonLocalMechanisms(), expected);
  for (const std::string& name : expected) {
    EXPECT_EQ(mechanismName(nonLocalMechanism(name).value()), name);
  }
  EXPECT_FALSE(nonLocalMechanism("softmax").has_value());
}

TEST(NonLocalBlock, SaliencyIsTheNormOfWhatTheProductIsMadeOf) {
  for (const char* name : {"nonlocal_magnitude", "nonlocal_scaled_magnitude"}) {
    SCOPED_TRACE(name);
    NonLocalBlock block(NonLocalBlockOptions{.name = "block",
                                             .channels = 8,
                                             .embedding = 8,
                                             .heads = 2,
                                             .mechanism = nonLocalMechanism(name).value(),
                                             .softmaxScale = {}});
    randomiseBlock(*block, 6);
    const torch::Tensor map = at::randn({1, 8, 2, 3});
    const auto theta = block->named_children()["theta"]->as<ConvolutionImpl>()->forward(map);
    LastLayerRecorder recorder;
    block->eval();
    block->forward(map, &recorder);
    ASSERT_EQ(recorder.layer().queryL1.rows(), 2);
    ASSERT_EQ(recorder.layer().queryL1.cols(), 6);
    // The second head's channels at the last position.
    const float norm = theta[0].slice(0, 4, 8).select(1, 1).select(1, 2).norm().item<float>();
    EXPECT_NEAR(recorder.layer().queryL1(1, 5), norm, 1e-5);
  }
}

TEST(NonLocalBlock, EmbeddingsOfZeroGiveFiniteOutputsAndGradients) {
  for (const std::string& name : nonLocalMechanisms()) {
    SCOPED_TRACE(name);
    NonLocalBlock block(NonLocalBlockOptions{.name = "block",
                                             .channels = 8,
                                             .embedding = 8,
                                             .heads = 2,
                                             .norm = false,
                                             .mechanism = nonLocalMechanism(name).value(),
                                             .softmaxScale = {}});
    randomiseBlock(*block, 7);
    {
      const torch::NoGradGuard noGradient;
      for (const char* zero : {"theta", "phi"}) {
        block->named_children()[zero]->as<ConvolutionImpl>()->weight.zero_();
        block->named_children()[zero]->as<ConvolutionImpl>()->bias.zero_();
      }
    }
    const torch::Tensor output = block->forward(at::randn({2, 8, 3, 4}), nullptr);
    EXPECT_TRUE(output.isfinite().all().item<bool>());
    output.square().sum().backward();
    for (const auto& parameter : block->named_parameters()) {
      const torch::Tensor gradient = parameter.value().grad();
      EXPECT_TRUE(!gradient.defined() || gradient.isfinite().all().item<bool>()) << parameter.key();
    }
  }
}

TEST(NonLocalBlock, StartsAsTheIdentity) {
  for (const bool norm : {true, false}) {
    NonLocalBlock block(NonLocalBlockOptions{
        .name = "block", .channels = 8, .embedding = 8, .norm = norm, .softmaxScale = {}});
    initialise(*block, 1);
    block->rescaleInitialisation();
    block->train();
    const torch::Tensor map = at::randn({2, 8, 3, 4});
    EXPECT_TRUE(at::equal(block->forward(map, nullptr), map));
  }
}

}  // namespace
}  // namespace softscope
