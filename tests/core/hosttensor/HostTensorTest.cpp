// Compiled twice: with the tensors of core/hosttensor, and with LibTorch's, which has to give the
// same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <vector>

namespace softscope {
namespace {

using testing::ElementsAre;

using testing::Pointwise;

std::vector<std::int64_t> sizesOf(const torch::Tensor& tensor) {
  return tensor.sizes().vec();
}

/// Returns all elements in the order of rows, as double.
std::vector<double> elementsOf(const torch::Tensor& tensor) {
  const torch::Tensor all = tensor.to(torch::kFloat64).contiguous();
  return {all.data_ptr<double>(), all.data_ptr<double>() + all.numel()};
}

/// Returns 0, 1, 2, ... in a shape.
torch::Tensor counted(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return torch::tensor(values).view(sizes);
}

TEST(HostTensorTest, KnowsItsShape) {
  const torch::Tensor tensor = counted({2, 3, 4});
  EXPECT_EQ(tensor.dim(), 3);
  EXPECT_EQ(tensor.numel(), 24);
  EXPECT_EQ(tensor.size(-1), 4);
  EXPECT_EQ(tensor.nbytes(), 96u);
  EXPECT_EQ(tensor.scalar_type(), torch::kFloat32);
  EXPECT_FALSE(torch::Tensor().defined());
  const torch::Tensor empty = torch::empty({3, 0});
  EXPECT_TRUE(empty.defined());
  EXPECT_EQ(empty.numel(), 0);
  EXPECT_THAT(elementsOf(torch::zeros({2, 1})), ElementsAre(0, 0));
  const torch::Tensor number = torch::tensor(7, torch::kInt64);
  EXPECT_EQ(number.dim(), 0);
  EXPECT_EQ(number.item<std::int64_t>(), 7);
}

TEST(HostTensorTest, CopiesAndPartsOfTheFirstAxisShareTheirElements) {
  torch::Tensor tensor = counted({2, 3});
  const torch::Tensor second = tensor[1];
  tensor.data_ptr<float>()[3] = 30;
  EXPECT_THAT(elementsOf(second), ElementsAre(30, 4, 5));
  EXPECT_THAT(elementsOf(tensor.view({3, 2})[2]), ElementsAre(4, 5));
  EXPECT_TRUE(tensor.is_same(tensor));
  tensor.copy_(counted({2, 3}).mul(2));
  EXPECT_THAT(elementsOf(second), ElementsAre(6, 8, 10));

  std::vector<float> mine{1, 2, 3, 4};
  const torch::Tensor borrowed = torch::from_blob(mine.data(), {2, 2}, torch::kFloat32);
  mine[3] = 40;
  EXPECT_THAT(elementsOf(borrowed), ElementsAre(1, 2, 3, 40));
}

TEST(HostTensorTest, PutsAxesInAnotherOrder) {
  const torch::Tensor tensor = counted({2, 3, 2});
  const torch::Tensor permuted = tensor.permute({2, 0, 1});
  EXPECT_THAT(sizesOf(permuted), ElementsAre(2, 2, 3));
  EXPECT_THAT(elementsOf(permuted), ElementsAre(0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11));
  EXPECT_THAT(elementsOf(tensor[0].transpose(0, 1)), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(sizesOf(tensor.flatten(1)), ElementsAre(2, 6));
  EXPECT_THAT(sizesOf(tensor.flatten(0, 1)), ElementsAre(6, 2));
  EXPECT_THAT(sizesOf(tensor.unsqueeze(1)), ElementsAre(2, 1, 3, 2));
}

TEST(HostTensorTest, CutsAndJoins) {
  const torch::Tensor tensor = counted({2, 5});
  EXPECT_THAT(elementsOf(tensor.slice(1, 1, 3)), ElementsAre(1, 2, 6, 7));
  EXPECT_THAT(elementsOf(tensor.slice(1, 4)), ElementsAre(4, 9));
  EXPECT_EQ(tensor.slice(1, 5).numel(), 0);
  const std::vector<torch::Tensor> parts = tensor.split(2, 1);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_THAT(elementsOf(parts[2]), ElementsAre(4, 9));
  EXPECT_THAT(elementsOf(torch::cat({parts[2], parts[0]}, 1)), ElementsAre(4, 0, 1, 9, 5, 6));
  EXPECT_THAT(sizesOf(torch::stack({parts[0], parts[1]}, 0)), ElementsAre(2, 2, 2));
  const std::vector<std::int64_t> places{3, 0, 3};
  EXPECT_THAT(elementsOf(tensor.index_select(1, torch::tensor(places, torch::kInt64))),
              ElementsAre(3, 0, 3, 8, 5, 8));
}

TEST(HostTensorTest, ConvertsElements) {
  const torch::Tensor tensor = torch::tensor(std::vector<float>{-1.75f, 0, 1.5f, 200.7f});
  EXPECT_THAT(elementsOf(tensor.to(torch::kInt64)), ElementsAre(-1, 0, 1, 200));
  EXPECT_THAT(elementsOf(tensor.slice(0, 1).to(torch::kUInt8)), ElementsAre(0, 1, 200));
  const torch::Tensor exact = torch::tensor(std::vector<float>{1.0f / 3, 65'504, 1e-5f});
  EXPECT_THAT(elementsOf(exact.to(c10::ScalarType::Half)),
              ElementsAre(0.333251953125, 65'504, 1.0013580322265625e-05));
  EXPECT_THAT(elementsOf(exact.to(c10::ScalarType::BFloat16)),
              ElementsAre(0.333984375, 65'536, 1.0013580322265625e-05));
  EXPECT_STREQ(c10::toString(torch::kFloat64), "Double");
  EXPECT_EQ(c10::elementSize(c10::ScalarType::BFloat16), 2u);
  EXPECT_TRUE(at::isFloatingType(c10::ScalarType::Half));
  EXPECT_FALSE(at::isFloatingType(torch::kInt64));
}

TEST(HostTensorTest, ComputesElementByElement) {
  const torch::Tensor tensor = torch::tensor(std::vector<float>{-2.5f, -0.5f, 0.5f, 1.5f});
  EXPECT_THAT(elementsOf(tensor.abs()), ElementsAre(2.5, 0.5, 0.5, 1.5));
  EXPECT_THAT(elementsOf(tensor.round()), ElementsAre(-2, 0, 0, 2)) << "halves to even";
  EXPECT_THAT(elementsOf(tensor.clamp(-1, 1)), ElementsAre(-1, -0.5, 0.5, 1));
  EXPECT_THAT(elementsOf(tensor.clamp_min(0)), ElementsAre(0, 0, 0.5, 1.5));
  EXPECT_THAT(elementsOf(tensor.mul(-2)), ElementsAre(5, 1, -1, -3));
  EXPECT_THAT(elementsOf(tensor.ge(0.5)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(elementsOf(tensor.ge(0.5).logical_not()), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(elementsOf(tensor.ge(-1).logical_and(tensor.ge(1).logical_not())),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(elementsOf(tensor.masked_fill(tensor.ge(0), 9)), ElementsAre(-2.5, -0.5, 9, 9));
}

TEST(HostTensorTest, TellsWhatIsNoNumber) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const torch::Tensor tensor = torch::tensor(std::vector<float>{1, std::nanf(""), -infinity});
  EXPECT_THAT(elementsOf(tensor.isnan()), ElementsAre(0, 1, 0));
  EXPECT_THAT(elementsOf(tensor.isinf()), ElementsAre(0, 0, 1));
  EXPECT_TRUE(tensor.isnan().any().item<bool>());
  EXPECT_FALSE(tensor.slice(0, 0, 1).isinf().any().item<bool>());
}

TEST(HostTensorTest, RepeatsAxesOfOne) {
  const torch::Tensor rows = counted({2, 1});
  const torch::Tensor columns = counted({3});
  EXPECT_THAT(sizesOf(rows * columns), ElementsAre(2, 3));
  EXPECT_THAT(elementsOf(rows * columns), ElementsAre(0, 0, 0, 0, 1, 2));
  EXPECT_THAT(elementsOf(rows - columns), ElementsAre(0, -1, -2, 1, 0, -1));
  EXPECT_THAT(elementsOf(columns * 0.5), ElementsAre(0, 0.5, 1));
  EXPECT_THAT(elementsOf(columns / (rows - torch::tensor(std::vector<float>{2}))),
              ElementsAre(0, -0.5, -1, 0, -1, -2));
  EXPECT_THROW(counted({2}) * counted({3}), c10::Error);
}

TEST(HostTensorTest, Sums) {
  const torch::Tensor tensor = counted({2, 3});
  EXPECT_EQ(tensor.sum(torch::kFloat64).item<double>(), 15);
  EXPECT_THAT(elementsOf(tensor.sum(-1)), ElementsAre(3, 12));
  EXPECT_FLOAT_EQ(tensor.norm().item<float>(), std::sqrt(55.0f));
  EXPECT_THAT(elementsOf(tensor.norm(2, -1)),
              Pointwise(testing::DoubleNear(1e-6), {std::sqrt(5.0), std::sqrt(50.0)}));
  EXPECT_THAT(sizesOf(tensor.norm(2, -1, true)), ElementsAre(2, 1));
}

TEST(HostTensorTest, FindsTheLargest) {
  const torch::Tensor tensor = torch::tensor(std::vector<float>{2, 7, -3, 7}).view({2, 2});
  EXPECT_EQ(tensor.max().item<float>(), 7);
  EXPECT_EQ(tensor.min().item<float>(), -3);
  EXPECT_EQ(tensor.argmax().item<std::int64_t>(), 1);
  EXPECT_THROW(torch::empty({0}).max(), c10::Error);
}

TEST(HostTensorTest, Multiplies) {
  const torch::Tensor product = at::matmul(counted({2, 3}), counted({3, 2}));
  EXPECT_THAT(elementsOf(product), ElementsAre(10, 13, 28, 40));
}

TEST(HostTensorTest, IsEqualOrNot) {
  EXPECT_TRUE(torch::equal(counted({2, 3}), counted({2, 3})));
  EXPECT_FALSE(torch::equal(counted({2, 3}), counted({3, 2})));
  EXPECT_FALSE(torch::equal(counted({2}), counted({2}).mul(2)));
}

TEST(HostTensorTest, RefusesShapesOfAnotherSize) {
  EXPECT_THROW(counted({2, 3}).view({4}), std::exception);
  EXPECT_THROW(
      counted({2}).index_select(0, torch::tensor(std::vector<std::int64_t>{2}, torch::kInt64)),
      std::exception);
}

/// The values were computed by PyTorch's interpolate(antialias=True).
TEST(HostTensorTest, ResizesWithAntialiasing) {
  const torch::Tensor picture =
      torch::tensor(std::vector<float>{0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 0, 9, 0, 0, 1, 2, 1, 2, 1})
          .view({1, 1, 4, 5});
  const auto isNear = [](const std::vector<double>& expected) {
    return Pointwise(testing::DoubleNear(1e-5), expected);
  };
  EXPECT_THAT(elementsOf(at::_upsample_bilinear2d_aa(picture, {2, 3}, false)),
              isNear({2.142857074737549, 2.857142925262451, 2.142857074737549, 1.2653061151504517,
                      3.190476179122925, 0.8163265585899353}));
  EXPECT_THAT(elementsOf(at::_upsample_bicubic2d_aa(picture, {2, 3}, false)),
              isNear({2.2407500743865967, 2.8649048805236816, 2.2407500743865967,
                      1.1928162574768066, 3.369997978210449, 0.6758425235748291}));
  const torch::Tensor larger = at::_upsample_bicubic2d_aa(picture, {6, 7}, false);
  EXPECT_THAT(sizesOf(larger), ElementsAre(1, 1, 6, 7));
  EXPECT_NEAR(elementsOf(larger)[0], -0.3948637843132019, 1e-5);
  EXPECT_NEAR(elementsOf(larger)[24], 8.752314567565918, 1e-5);
  const torch::Tensor same = at::_upsample_bilinear2d_aa(picture, {4, 5}, false);
  EXPECT_THAT(elementsOf(same), isNear(elementsOf(picture)));
}

}  // namespace
}  // namespace softscope
