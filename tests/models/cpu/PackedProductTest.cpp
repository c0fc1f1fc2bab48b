#include "models/cpu/PackedProduct.h"
#include "models/layers/Products.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <thread>
#include <vector>

namespace softscope {
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
