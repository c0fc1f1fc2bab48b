#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_EQ(forms[0].middle, NystromForm::Middle::Released);
  EXPECT_EQ(forms[1].middle, NystromForm::Middle::Normalised);
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
  EXPECT_EQ(forms[0].middle, NystromForm::Middle::Released);
}

/// A layer of random queries (and keys) on 6 x 8 patches with 2 x 2 windows for landmarks, as its
/// mechanism computes it.
struct RandomLandmarks {
  LayerInspection layer;
  LandmarkTokens windows = windowTokens({6, 8}, 2);
  std::vector<Eigen::MatrixXd> queries;
  std::vector<Eigen::MatrixXd> keys;
  bool softmax = false;
  InverseScheme scheme = InverseScheme::Soft;

  explicit RandomLandmarks(const std::string& mechanism) : softmax(mechanism == "nystromformer") {
    if (softmax) scheme = InverseScheme::Nystromformer;
    if (mechanism == "soft++") scheme = InverseScheme::SoftNorm;
    const MatrixStack query = randomStack(2, 48, 4, 11);
    const MatrixStack key = softmax ? randomStack(2, 48, 4, 12) : query;
    AttentionDescription description{.mechanism = mechanism, .queryGrid = TokenGrid{6, 8}};
    description.keyGrid = description.queryGrid;
    description.landmarks = windows.count();
    description.landmarkGrid = windows.grid;
    description.parameters["ratio"] = 2;
    layer.name = "block1.0";
    layer.exactKernel = std::make_shared<KernelMap>(
        description, softmax ? KernelMap::Kernel::Softmax : KernelMap::Kernel::Gaussian, query, key,
        0.5);
    std::vector<Matrix> left;
    std::vector<Matrix> right;
    for (int head = 0; head < 2; ++head) {
      queries.push_back(query[head].cast<double>());
      keys.push_back(key[head].cast<double>());
      left.push_back(weights(queries.back(), means(keys.back(), windows)).cast<float>());
      right.push_back(
          weights(means(queries.back(), windows), keys.back()).transpose().cast<float>());
      layer.bottleneck.push_back(bottleneck(head, windows).cast<float>());
    }
    for (int head = 0; head < 2; ++head) {
      layer.bottleneckInverse.push_back(releasedInverse(layer.bottleneck, head, scheme));
    }
    const MatrixStack outer(left);
    layer.attention =
        std::make_shared<FactoredMap>(description, outer, MatrixStack(layer.bottleneckInverse),
                                      softmax ? MatrixStack(right) : outer);
  }

  Eigen::MatrixXd means(const Eigen::MatrixXd& tokens, const LandmarkTokens& landmarks) const {
    Eigen::MatrixXd result(landmarks.count(), tokens.cols());
    for (int i = 0; i < landmarks.count(); ++i) {
      result.row(i) =
          tokens(landmarks.groups[static_cast<std::size_t>(i)], Eigen::all).colwise().mean();
    }
    return result;
  }
  Eigen::MatrixXd weights(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const {
    Eigen::MatrixXd result(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      for (Eigen::Index j = 0; j < b.rows(); ++j) {
        result(i, j) = softmax ? std::exp(0.5 * a.row(i).dot(b.row(j)))
                               : std::exp(-(a.row(i) - b.row(j)).squaredNorm() / 2);
      }
      if (softmax) result.row(i) /= result.row(i).sum();
    }
    return result;
  }
  Eigen::MatrixXd bottleneck(int head, const LandmarkTokens& landmarks) const {
    const auto i = static_cast<std::size_t>(head);
    return weights(means(queries[i], landmarks), means(keys[i], landmarks));
  }
  /// P X P^T (K1 X K3) with these landmarks.
  Eigen::MatrixXd form(int head, const LandmarkTokens& landmarks,
                       const Eigen::MatrixXd& middle) const {
    const auto i = static_cast<std::size_t>(head);
    return weights(queries[i], means(keys[i], landmarks)) * middle *
           weights(means(queries[i], landmarks), keys[i]);
  }
};

TEST(NystromForm, WithItsOwnLandmarksChosenAnewIsWhatTheNetworkComputes) {
  for (const char* mechanism : {"soft", "soft++", "nystromformer"}) {
    const RandomLandmarks random(mechanism);
    const auto chosen = nystromFormsWith(random.layer, random.windows);
    const NystromForm exact = exactNystromForm(random.layer);
    for (int head = 0; head < 2; ++head) {
      const Eigen::MatrixXd released = test::wholeMatrix(*nystromForms(random.layer)[0].map, head);
      EXPECT_LT((test::wholeMatrix(*chosen[0].map, head) - released).norm(), 1e-3 * released.norm())
          << mechanism;
      const Eigen::MatrixXd inverted = random.form(
          head, random.windows, test::denseInverse(random.bottleneck(head, random.windows)));
      for (const NystromForm& form : {chosen[1], exact}) {
        EXPECT_EQ(form.middle, NystromForm::Middle::Exact);
        EXPECT_LT((test::wholeMatrix(*form.map, head) - inverted).norm(), 1e-3 * inverted.norm())
            << mechanism;
      }
    }
  }
}

TEST(NystromForm, WithOtherLandmarksIsOfTheSameQueriesAndKeys) {
  const LandmarkTokens some{{{0}, {5}, {11}, {20}, {33, 34}, {47}}};
  for (const char* mechanism : {"soft", "soft++", "nystromformer"}) {
    const RandomLandmarks random(mechanism);
    const auto forms = nystromFormsWith(random.layer, some);
    ASSERT_EQ(forms.size(), 2u) << "no network attends with them";
    EXPECT_EQ(forms[0].map->description().landmarks, 6);
    EXPECT_EQ(forms[0].map->description().landmarkTokens, some.groups);
    for (int head = 0; head < 2; ++head) {
      const Eigen::MatrixXd kernel = random.bottleneck(head, some);
      const Eigen::MatrixXd expected = random.form(head, some, test::denseInverse(kernel));
      EXPECT_LT((test::wholeMatrix(*forms[1].map, head) - expected).norm(), 1e-4 * expected.norm());
      // And the iteration of the mechanism's own code, on that kernel.
      const std::vector<Matrix> kernels = {random.bottleneck(0, some).cast<float>(),
                                           random.bottleneck(1, some).cast<float>()};
      const Eigen::MatrixXd released =
          random.form(head, some, releasedInverse(kernels, head, random.scheme).cast<double>());
      EXPECT_LT((test::wholeMatrix(*forms[0].map, head) - released).norm(), 1e-4 * released.norm())
          << mechanism;
    }
  }
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
