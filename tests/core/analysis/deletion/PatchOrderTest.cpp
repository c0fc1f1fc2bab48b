#include "core/analysis/deletion/PatchOrder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(PatchOrder, GoesFromTheLargestScoreToTheSmallest) {
  EXPECT_THAT(patchOrder(Eigen::VectorXd{{0.1, -3, 7, 0.2}}, 0), ElementsAre(2, 3, 0, 1));
}

TEST(PatchOrder, OfAMapThatSaysNothingIsTheOneAtRandom) {
  for (const std::uint32_t seed : {0u, 5u}) {
    EXPECT_EQ(patchOrder(Eigen::VectorXd::Constant(50, 3.5), seed), randomPatchOrder(50, seed));
  }
}

TEST(PatchOrder, TiesStandAsInTheOneAtRandom) {
  Eigen::VectorXd scores = Eigen::VectorXd::Zero(20);
  scores.tail(10).setOnes();
  const std::vector<int> order = patchOrder(scores, 9);
  std::vector<int> expected;
  for (const bool high : {true, false}) {
    for (const int patch : randomPatchOrder(20, 9)) {
      if ((patch >= 10) == high) expected.push_back(patch);
    }
  }
  EXPECT_EQ(order, expected);
}

TEST(PatchOrder, WhatIsNoNumberComesLast) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(patchOrder(Eigen::VectorXd{{none, -1, 5}}, 0).back(), 0);
}

/// What NumPy's MT19937 with that seed gives, its words taken modulo the patches that are left.
TEST(RandomPatchOrder, IsThatOfItsSeedOnEveryMachine) {
  EXPECT_THAT(randomPatchOrder(8, 7), ElementsAre(2, 4, 0, 3, 5, 1, 6, 7));
  EXPECT_NE(randomPatchOrder(50, 1), randomPatchOrder(50, 2));
  EXPECT_EQ(randomPatchOrder(50, 1), randomPatchOrder(50, 1));
  EXPECT_TRUE(randomPatchOrder(0, 1).empty());
}

TEST(RandomPatchOrder, ChoosesEvenlyAmongAllOrders) {
  std::map<std::vector<int>, int> counts;
  constexpr int draws = 12000;
  for (std::uint32_t seed = 0; seed < draws; ++seed) ++counts[randomPatchOrder(4, seed)];
  ASSERT_EQ(counts.size(), 24u);
  for (const auto& [order, count] : counts) {
    EXPECT_THAT(order, UnorderedElementsAre(0, 1, 2, 3));
    // Six standard deviations.
    EXPECT_NEAR(count, draws / 24, 6 * 22);
  }
}

/// Two rows of three pixels with the values 0, 7, 14, ..., as a network with these means and
/// deviations is fed them.
InputTensor fedPixels(const InputTransform& transform) {
  InputTensor input{2, 3, {}};
  for (int i = 0; i < 18; ++i) {
    const auto channel = static_cast<std::size_t>(i / 6);
    input.values.push_back((static_cast<float>(7 * i % 256) / 255 - transform.mean[channel]) /
                           transform.deviation[channel]);
  }
  return input;
}

/// Python: hashlib.sha256(b"2x3:" + bytes(7 * i % 256 for i in range(18))).hexdigest()
TEST(PictureIdentity, IsOfTheColoursWhateverMeansTheyAreFedWith) {
  InputTransform other;
  other.mean = {0.5f, 0.5f, 0.5f};
  other.deviation = {0.5f, 0.5f, 0.5f};
  const std::string identity = "b7e804a810e2ccfc8fedaeedddf60899c96383da7f064ee51ec3f1a5e3bc7db1";
  EXPECT_EQ(pictureIdentity(fedPixels({}), {}), identity);
  EXPECT_EQ(pictureIdentity(fedPixels(other), other), identity);
}

TEST(PictureIdentity, IsNoOtherPictures) {
  const std::string identity = pictureIdentity(fedPixels({}), {});
  InputTensor changed = fedPixels({});
  changed.values[7] += 0.02f;
  EXPECT_NE(pictureIdentity(changed, {}), identity);
  InputTensor turned = fedPixels({});
  std::swap(turned.height, turned.width);
  EXPECT_NE(pictureIdentity(turned, {}), identity);
  InputTensor none = fedPixels({});
  none.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(pictureIdentity(none, {}), identity) << "its first value is 0";
}

/// Python: int(hashlib.sha256(f"{identity}:{number}".encode()).hexdigest()[:8], 16)
TEST(OrderSeed, IsTheFirstBitsOfAChecksum) {
  const std::string identity = pictureIdentity(fedPixels({}), {});
  EXPECT_EQ(orderSeed(identity, tieOrderNumber), 3234592493u);
  EXPECT_EQ(orderSeed(identity, 1), 16945544u);
  EXPECT_EQ(orderSeed(identity, 20), 607552075u);
  EXPECT_THAT(randomPatchOrder(8, orderSeed(identity, 1)), ElementsAre(0, 2, 3, 7, 4, 5, 6, 1));
}

}  // namespace
}  // namespace softscope
