#include "models/cpu/PackedConvolution.h"
#include "models/layers/Layers.h"

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
}  // namespace softscope
