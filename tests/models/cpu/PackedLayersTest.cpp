#include "models/cpu/PackedLayers.h"
#include "models/layers/Layers.h"
#include "models/layers/Products.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <thread>
#include <vector>

namespace softscope {
namespace {

constexpr double tolerance = 2e-5;

ConvolutionTerms randomTerms(const ConvolutionOptions& sizes, bool withBias, bool withNorm) {
  const int fan = sizes.inputs / sizes.groups * sizes.kernel * sizes.kernel;
  ConvolutionTerms terms{.weight = torch::randn({sizes.outputs, sizes.inputs / sizes.groups,
                                                 sizes.kernel, sizes.kernel}) /
                                   std::sqrt(static_cast<double>(fan)),
                         .stride = sizes.stride,
                         .padding = sizes.padding,
                         .groups = sizes.groups};
  if (withBias) terms.bias = torch::randn({sizes.outputs});
  if (withNorm) {
    terms.norm = NormTerms{torch::randn({sizes.outputs}), torch::randn({sizes.outputs}),
                           torch::randn({sizes.outputs}), torch::rand({sizes.outputs}) + 0.5, 1e-5};
  }
  return terms;
}

/// Step by step, in float64.
torch::Tensor expected(const torch::Tensor& x, const ConvolutionTerms& terms) {
  const auto inDouble = [](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.to(torch::kFloat64) : tensor;
  };
  torch::Tensor y = at::conv2d(inDouble(x), inDouble(terms.weight), inDouble(terms.bias),
                               terms.stride, terms.padding, 1, terms.groups);
  if (terms.norm) {
    y = at::batch_norm(y, inDouble(terms.norm->weight), inDouble(terms.norm->bias),
                       inDouble(terms.norm->mean), inDouble(terms.norm->variance), false, 0,
                       terms.norm->epsilon, false);
  }
  switch (terms.activation) {
    case Activation::Relu:
      return at::relu(y);
    case Activation::Gelu:
      return at::gelu(y);
    case Activation::TanhGelu:
      return at::gelu(y, "tanh");
    case Activation::None:
      break;
  }
  return y;
}

double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.to(torch::kFloat64) - b).abs().max().item<double>();
}

bool isThereOneDnn() {
  return PackedConvolution()
      .forward(torch::zeros({1, 32, 4, 4}), {.weight = torch::zeros({32, 32, 1, 1})})
      .has_value();
}

class PackedConvolutionTest : public testing::TestWithParam<ConvolutionOptions> {
 protected:
  void SetUp() override {
    if (!isThereOneDnn()) GTEST_SKIP() << "without oneDNN LibTorch convolves";
    torch::manual_seed(7);
  }
};

TEST_P(PackedConvolutionTest, IsConvolutionNormAndActivation) {
  const ConvolutionOptions sizes = GetParam();
  const torch::NoGradGuard noGradient;
  for (const int batch : {1, 3}) {
    const torch::Tensor plain = torch::randn({batch, sizes.inputs, 19, 23});
    for (const torch::Tensor& x :
         {plain, plain.contiguous(at::MemoryFormat::ChannelsLast), plain.transpose(2, 3)}) {
      for (const bool withBias : {false, true}) {
        for (const bool withNorm : {false, true}) {
          ConvolutionTerms terms = randomTerms(sizes, withBias, withNorm);
          for (const Activation activation :
               {Activation::None, Activation::Relu, Activation::Gelu, Activation::TanhGelu}) {
            terms.activation = activation;
            const auto y = PackedConvolution().forward(x, terms);
            if (!y) continue;  // LibTorch's, where oneDNN has none that is fast
            EXPECT_LT(difference(*y, expected(x, terms)), tolerance);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, PackedConvolutionTest,
    testing::Values(ConvolutionOptions{3, 32, 3, 2, 1}, ConvolutionOptions{32, 48, 3, 1, 1},
                    ConvolutionOptions{5, 7, 3, 2, 1}, ConvolutionOptions{64, 64, 3, 1, 1, 64},
                    ConvolutionOptions{40, 40, 5, 2, 2, 40}, ConvolutionOptions{16, 32, 4, 4, 0},
                    ConvolutionOptions{16, 24, 1, 1, 0}, ConvolutionOptions{32, 32, 3, 1, 1, 4},
                    ConvolutionOptions{1, 8, 8, 8, 0}));

TEST(PackedConvolution, TheNetworksOfThePapersAreConvolvedByIt) {
  if (!isThereOneDnn()) GTEST_SKIP();
  const torch::NoGradGuard noGradient;
  for (const ConvolutionOptions& sizes :
       {ConvolutionOptions{3, 32, 3, 2, 1}, ConvolutionOptions{32, 64, 3, 2, 1},
        ConvolutionOptions{64, 64, 3, 1, 1, 64}, ConvolutionOptions{3, 384, 16, 16, 0}}) {
    const auto y = PackedConvolution().forward(torch::randn({1, sizes.inputs, 32, 32}),
                                               randomTerms(sizes, true, true));
    EXPECT_TRUE(y.has_value()) << sizes.inputs << " to " << sizes.outputs;
  }
}

TEST(PackedConvolution, FollowsWeightsThatChange) {
  if (!isThereOneDnn()) GTEST_SKIP();
  const torch::NoGradGuard noGradient;
  const torch::Tensor x = torch::randn({1, 32, 9, 9});
  ConvolutionTerms terms = randomTerms({32, 32, 3, 1, 1}, true, true);
  const PackedConvolution packed;
  const auto follows = [&] { return difference(*packed.forward(x, terms), expected(x, terms)); };
  EXPECT_LT(follows(), tolerance);
  terms.weight.mul_(2);
  EXPECT_LT(follows(), tolerance) << "changed in place, as an optimiser does";
  terms.norm->variance.add_(1);
  EXPECT_LT(follows(), tolerance) << "as a training does to what it averages";
  terms.weight.set_data(torch::randn({32, 32, 3, 3}) / 17);
  EXPECT_LT(follows(), tolerance) << "loaded";
  terms.bias = torch::randn({32});
  EXPECT_LT(follows(), tolerance) << "another tensor";
}

TEST(PackedConvolution, AnswersSeveralThreads) {
  if (!isThereOneDnn()) GTEST_SKIP();
  const torch::NoGradGuard noGradient;
  const ConvolutionTerms terms = randomTerms({32, 32, 3, 1, 1}, true, false);
  const PackedConvolution packed;
  std::vector<double> differences(4, 1);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    threads.emplace_back([&, i] {
      const torch::NoGradGuard ofThisThread;
      const torch::Tensor x = torch::randn({1, 32, 8 + static_cast<int>(i), 8});
      differences[i] = difference(*packed.forward(x, terms), expected(x, terms));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double each : differences) EXPECT_LT(each, tolerance);
}

TEST(PackedConvolution, LeavesGradientsToLibTorch) {
  ConvolutionTerms terms = randomTerms({32, 32, 3, 1, 1}, true, false);
  terms.weight.requires_grad_();
  EXPECT_FALSE(PackedConvolution().forward(torch::randn({1, 32, 9, 9}), terms).has_value());
}

TEST(PackedConvolution, HidesNoNaN) {
  if (!isThereOneDnn()) GTEST_SKIP();
  const torch::NoGradGuard noGradient;
  for (const Activation activation : {Activation::Relu, Activation::Gelu, Activation::None}) {
    ConvolutionTerms terms{.weight = torch::randn({32, 32, 1, 1})};
    terms.activation = activation;
    torch::Tensor x = torch::randn({1, 32, 4, 4});
    x[0][3][1][2] = std::nan("");
    const auto ofInput = PackedConvolution().forward(x, terms);
    if (ofInput) {
      EXPECT_TRUE((*ofInput)[0].select(1, 1).select(1, 2).isnan().all().item<bool>());
    }
    terms.weight[7][3][0][0] = std::nan("");
    const auto ofWeight = PackedConvolution().forward(torch::randn({1, 32, 4, 4}), terms);
    if (ofWeight) {
      EXPECT_TRUE((*ofWeight)[0][7].isnan().all().item<bool>());
    }
  }
}

}  // namespace

namespace {

constexpr double productTolerance = 2e-5;

struct LinearTerms {
  torch::Tensor weight;
  torch::Tensor bias;
};

LinearTerms randomLinear(int inputs, int outputs, bool withBias = true) {
  return {torch::randn({outputs, inputs}) / std::sqrt(static_cast<double>(inputs)),
          withBias ? torch::randn({outputs}) : torch::Tensor()};
}

/// From the packed weights, once they are packed; nothing where they never are.
std::optional<torch::Tensor> multiplied(const PackedProduct& packed, const torch::Tensor& x,
                                        const LinearTerms& layer,
                                        Activation activation = Activation::None) {
  const auto first = packed.forward(x, layer.weight, layer.bias, activation);
  return first ? first : packed.forward(x, layer.weight, layer.bias, activation);
}

double difference(const torch::Tensor& a, const torch::Tensor& x, const LinearTerms& layer,
                  Activation activation = Activation::None) {
  const auto inDouble = [](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.to(torch::kFloat64) : tensor;
  };
  const torch::Tensor expected =
      activated(at::linear(inDouble(x), inDouble(layer.weight), inDouble(layer.bias)), activation);
  EXPECT_EQ(a.sizes(), expected.sizes());
  return (a.to(torch::kFloat64) - expected).abs().max().item<double>();
}

class PackedProductTest : public testing::Test {
 protected:
  void SetUp() override {
    torch::manual_seed(7);
    const PackedProduct packed;
    if (!multiplied(packed, torch::zeros({196, 64}), {torch::zeros({64, 64}), {}})) {
      GTEST_SKIP() << "without oneDNN and AVX-512 others multiply";
    }
  }

  const torch::NoGradGuard noGradient_;
};

TEST_F(PackedProductTest, IsTheLinearLayerAndItsActivation) {
  struct Case {
    std::vector<std::int64_t> rows;
    int inputs;
    int outputs;
  };
  int packedOnes = 0;
  for (const Case& sizes : {Case{{1}, 512, 1000}, Case{{7, 7}, 3, 5}, Case{{2, 98}, 320, 1280},
                            Case{{1, 50}, 2048, 512}, Case{{3, 1, 11}, 33, 65}}) {
    std::vector<std::int64_t> shape = sizes.rows;
    shape.push_back(sizes.inputs);
    const torch::Tensor plain = torch::randn(shape);
    for (const torch::Tensor& x : {plain, torch::randn(shape).mul_(2).transpose(0, 0),
                                   plain.flip(0).transpose(0, -1).contiguous().transpose(0, -1)}) {
      for (const bool withBias : {false, true}) {
        const LinearTerms layer = randomLinear(sizes.inputs, sizes.outputs, withBias);
        for (const Activation activation :
             {Activation::None, Activation::Relu, Activation::Gelu, Activation::TanhGelu}) {
          const PackedProduct packed;
          const auto y = multiplied(packed, x, layer, activation);
          if (!y) continue;
          ++packedOnes;
          EXPECT_LT(difference(*y, x, layer, activation), productTolerance) << x.sizes();
        }
      }
    }
  }
  EXPECT_GT(packedOnes, 40);
}

TEST_F(PackedProductTest, PacksWhatIsUsedASecondTime) {
  const torch::Tensor x = torch::randn({196, 64});
  LinearTerms layer = randomLinear(64, 128);
  const PackedProduct packed;
  const auto forward = [&] {
    return packed.forward(x, layer.weight, layer.bias, Activation::None);
  };
  EXPECT_FALSE(forward()) << "a copy for a single use would cost more than it saves";
  ASSERT_TRUE(forward());
  layer.weight.mul_(2);
  EXPECT_FALSE(forward()) << "others were changed in place, as an optimiser does";
  EXPECT_LT(difference(*forward(), x, layer), productTolerance);
  layer.bias.add_(1);
  EXPECT_LT(difference(*forward(), x, layer), productTolerance) << "the bias is not packed";
  layer.weight.set_data(torch::randn({128, 64}) / 8);
  EXPECT_FALSE(forward()) << "loaded";
  EXPECT_LT(difference(*forward(), x, layer), productTolerance);
  const torch::Tensor several = torch::randn({2, 128, 64}) / 8;
  layer.weight = several[0];
  EXPECT_FALSE(forward()) << "one of several in the same memory";
  EXPECT_LT(difference(*forward(), x, layer), productTolerance);
  layer.weight = several[1];
  EXPECT_FALSE(forward()) << "another of them";
  EXPECT_LT(difference(*forward(), x, layer), productTolerance);
}

TEST_F(PackedProductTest, LeavesManyRowsAndGradientsToOthers) {
  const PackedProduct packed;
  LinearTerms layer = randomLinear(64, 64);
  EXPECT_FALSE(multiplied(packed, torch::randn({3136, 64}), layer));
  EXPECT_FALSE(multiplied(packed, torch::randn({49, 64}, torch::kFloat64), layer));
  const at::AutoGradMode withGradients(true);
  layer.weight.requires_grad_();
  EXPECT_FALSE(multiplied(packed, torch::randn({49, 64}), layer));
}

TEST_F(PackedProductTest, AnswersSeveralThreads) {
  const LinearTerms layer = randomLinear(64, 96);
  const PackedProduct packed;
  std::vector<double> differences(4, 1);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    threads.emplace_back([&, i] {
      const torch::NoGradGuard ofThisThread;
      const torch::Tensor x = torch::randn({40 + 30 * static_cast<int>(i), 64});
      differences[i] = difference(*multiplied(packed, x, layer), x, layer);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double each : differences) EXPECT_LT(each, productTolerance);
}

TEST_F(PackedProductTest, HidesNoNaN) {
  for (const Activation activation :
       {Activation::Relu, Activation::Gelu, Activation::TanhGelu, Activation::None}) {
    const PackedProduct packed;
    LinearTerms layer = randomLinear(64, 64);
    torch::Tensor x = torch::randn({196, 64});
    x[3][5] = std::nan("");
    const auto ofInput = multiplied(packed, x, layer, activation);
    if (ofInput) {
      EXPECT_TRUE((*ofInput)[3].isnan().all().item<bool>());
    }
    EXPECT_TRUE(
        linearProduct(x, layer.weight, layer.bias, activation)[3].isnan().all().item<bool>());
    layer.weight[7][2] = std::nan("");
    const auto ofWeight = multiplied(packed, torch::randn({196, 64}), layer, activation);
    if (ofWeight) {
      EXPECT_TRUE(ofWeight->select(1, 7).isnan().all().item<bool>());
    }
  }
}

}  // namespace
}  // namespace softscope
