#include "core/Error.h"
#include "models/structure/NonLocalCnnNetwork.h"
#include "tests/core/ErrorMessage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <string>

namespace softscope {
namespace {

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

}  // namespace
}  // namespace softscope
