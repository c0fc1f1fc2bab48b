#include "core/Error.h"
#include "core/analysis/bottleneck/ApproximationError.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::randomStack;

std::vector<Matrix> matricesOf(const MatrixStack& stack) {
  std::vector<Matrix> matrices;
  for (int i = 0; i < stack.count(); ++i) matrices.emplace_back(stack[i]);
  return matrices;
}

/// A layer whose landmarks are all of its tokens, and whose inverse is exact.
LayerInspection everyTokenALandmark(const std::string& mechanism) {
  const MatrixStack tokens = randomStack(2, 24, 6, 3);
  const AttentionDescription description{.mechanism = mechanism, .landmarks = 24};
  LayerInspection layer;
  layer.name = "block1.0";
  layer.exactKernel =
      std::make_shared<KernelMap>(description, KernelMap::Kernel::Gaussian, tokens, tokens, 1);
  std::vector<Matrix> normalised;
  for (int head = 0; head < 2; ++head) {
    const Eigen::MatrixXd kernel = test::wholeMatrix(*layer.exactKernel, head);
    const Eigen::MatrixXd inverse = test::denseInverse(kernel);
    const Eigen::VectorXd scale = kernel.rowwise().sum().cwiseSqrt().cwiseInverse();
    layer.bottleneck.push_back(kernel.cast<float>());
    layer.bottleneckInverse.push_back(inverse.cast<float>());
    normalised.push_back((scale.asDiagonal() * inverse * scale.asDiagonal()).cast<float>());
  }
  const MatrixStack left(layer.bottleneck);
  const bool divides = mechanism == "soft++";
  layer.attention = std::make_shared<FactoredMap>(
      description, left, MatrixStack(divides ? normalised : layer.bottleneckInverse), left);
  return layer;
}

TEST(NystromForm, OfAllTokensIsTheKernelItself) {
  for (const char* mechanism : {"soft", "soft++"}) {
    const LayerInspection layer = everyTokenALandmark(mechanism);
    for (int head = 0; head < 2; ++head) {
      const ApproximationError error =
          approximationError(exactKernelOf(layer), *nystromForms(layer).front().map, head);
      EXPECT_LT(error.relativeFrobenius, 1e-4) << mechanism;
      EXPECT_LT(error.largest, 1e-3);
    }
  }
}

TEST(NystromForm, OfSoftPlusPlusComesBeforeItsAttention) {
  const LayerInspection layer = everyTokenALandmark("soft++");
  const std::vector<NystromForm> forms = nystromForms(layer);
  ASSERT_EQ(forms.size(), 2u);
  EXPECT_FALSE(forms[0].normalised);
  EXPECT_TRUE(forms[1].normalised);
  EXPECT_EQ(forms[1].map, layer.attention);
  const auto& form = dynamic_cast<const FactoredMap&>(*forms[0].map);
  const auto& attention = dynamic_cast<const FactoredMap&>(*layer.attention);
  EXPECT_TRUE(form.left().sharesMemoryWith(attention.left()));
  EXPECT_EQ(matricesOf(form.middle())[1], layer.bottleneckInverse[1]);
  // By its definition, entry by entry.
  const Eigen::MatrixXd kernel = layer.bottleneck[1].cast<double>();
  const Eigen::VectorXd scale = kernel.rowwise().sum().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd expected =
      kernel * scale.asDiagonal() * test::denseInverse(kernel) * scale.asDiagonal() * kernel;
  EXPECT_LT((test::wholeMatrix(*forms[1].map, 1) - expected).norm(), 1e-3 * expected.norm());
}

TEST(NystromForm, OfSoftIsItsAttention) {
  const LayerInspection layer = everyTokenALandmark("soft");
  const std::vector<NystromForm> forms = nystromForms(layer);
  ASSERT_EQ(forms.size(), 1u);
  EXPECT_EQ(forms[0].map, layer.attention);
  EXPECT_FALSE(forms[0].normalised);
}

TEST(NystromForm, IsUndefinedWithoutLandmarks) {
  LayerInspection layer = everyTokenALandmark("soft");
  layer.exactKernel.reset();
  EXPECT_THROW(exactKernelOf(layer), InspectionError);
  layer.bottleneckInverse.clear();
  EXPECT_THROW(nystromForms(layer), InspectionError);
}

}  // namespace
}  // namespace softscope
