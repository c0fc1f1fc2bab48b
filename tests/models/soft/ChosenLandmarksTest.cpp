#include "core/Error.h"
#include "core/analysis/bottleneck/Landmarks.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/attention/FactoredMap.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "models/soft/SoftAttention.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/Golden.h"
#include "tests/models/attention/LastLayerRecorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace softscope {
namespace {

using TokenRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const TokenGrid storedGrid{24, 32};

ModelRequest withLandmarks(const LandmarkChoice& landmarks) {
  ModelRequest request;
  request.landmarks = landmarks;
  return request;
}

/// The queries that the authors' code stored of `block1.0`, scaled as the kernel scales them.
TokenRows storedQueries(const FloatArray& stored, int head) {
  const Eigen::Index tokens = stored.shape[1];
  const Eigen::Index width = stored.shape[2];
  const Eigen::Map<const Matrix> values(stored.values.data() + head * tokens * width, tokens,
                                        width);
  return values.cast<double>() / std::pow(double(width), 0.25);
}

/// Means over rows x columns windows, by their definition.
TokenRows meansOfWindows(const TokenRows& query, int side) {
  const int columns = storedGrid.width / side;
  TokenRows means = TokenRows::Zero(storedGrid.height / side * columns, query.cols());
  for (int y = 0; y < storedGrid.height; ++y) {
    for (int x = 0; x < storedGrid.width; ++x) {
      means.row(y / side * columns + x / side) += query.row(y * storedGrid.width + x);
    }
  }
  return means / (side * side);
}

Eigen::MatrixXd denseGaussian(const TokenRows& a, const TokenRows& b) {
  Eigen::MatrixXd kernel(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      kernel(i, j) = std::exp(-0.5 * (a.row(i) - b.row(j)).squaredNorm());
    }
  }
  return kernel;
}

double largestDifference(const Matrix& actual, const Eigen::MatrixXd& expected) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) return INFINITY;
  return (actual.cast<double>() - expected).cwiseAbs().maxCoeff();
}

/// SOFT's kernel with random parameters, on stored queries.
LayerInspection recordedOn(const FloatArray& stored, const LandmarkChoice& landmarks,
                           SoftMechanism mechanism) {
  const torch::NoGradGuard noGradient;
  SoftKernel kernel(
      SoftAttentionOptions{.name = "block1.0.att.mha.attn",
                           .channels = static_cast<int>(stored.shape[0] * stored.shape[2]),
                           .heads = static_cast<int>(stored.shape[0]),
                           .ratio = 8,
                           .mechanism = mechanism,
                           .landmarks = landmarks});
  for (torch::Tensor& parameter : kernel->parameters()) parameter.normal_();
  const torch::Tensor query =
      at::tensor(at::ArrayRef<float>(stored.values.data(), stored.values.size()))
          .view({1, stored.shape[0], stored.shape[1], stored.shape[2]});
  LastLayerRecorder recorded;
  kernel->forward(query, query, storedGrid, &recorded);
  return recorded.layer();
}

TEST(ChosenLandmarks, PooledAreMeansOfTheStoredQueries) {
  const FloatArray stored = readNpy(goldenPath("soft/block1_0_att_mha_attn.q.npy"));
  for (const SoftMechanism mechanism : {SoftMechanism::Soft, SoftMechanism::SoftNorm}) {
    // 6 x 8 cells are windows of 4 x 4.
    for (const auto& [choice, side] : {std::pair{LandmarkChoice{LandmarkSource::Pooled}, 8},
                                       std::pair{LandmarkChoice{LandmarkSource::Pooled, 48}, 4}}) {
      const LayerInspection layer = recordedOn(stored, choice, mechanism);
      const auto& map = dynamic_cast<const FactoredMap&>(*layer.attention);
      EXPECT_EQ(map.description().landmarkGrid, (TokenGrid{24 / side, 32 / side}));
      for (int head = 0; head < static_cast<int>(stored.shape[0]); ++head) {
        const TokenRows query = storedQueries(stored, head);
        const TokenRows means = meansOfWindows(query, side);
        EXPECT_LT(largestDifference(layer.bottleneck[static_cast<std::size_t>(head)],
                                    denseGaussian(means, means)),
                  1e-6);
        EXPECT_LT(largestDifference(map.left()[head], denseGaussian(query, means)), 1e-6);
      }
    }
  }
}

TEST(ChosenLandmarks, RandomAndFirstAreQueriesWhereTheirPlacesAre) {
  const FloatArray stored = readNpy(goldenPath("soft/block1_0_att_mha_attn.q.npy"));
  for (const LandmarkChoice& choice :
       {LandmarkChoice{LandmarkSource::Random, {}, 4}, LandmarkChoice{LandmarkSource::First, 20}}) {
    const LayerInspection layer = recordedOn(stored, choice, SoftMechanism::Soft);
    const auto& map = dynamic_cast<const FactoredMap&>(*layer.attention);
    const auto places = landmarkPlaces(map.description());
    ASSERT_TRUE(places);
    ASSERT_EQ(static_cast<int>(places->size()), choice.count.value_or(12));
    EXPECT_EQ(map.description().landmarks, static_cast<int>(places->size()));
    const TokenRows query = storedQueries(stored, 1);
    TokenRows landmarks(static_cast<Eigen::Index>(places->size()), query.cols());
    for (std::size_t i = 0; i < places->size(); ++i) {
      ASSERT_EQ((*places)[i].patches.size(), 1u);
      landmarks.row(static_cast<Eigen::Index>(i)) = query.row((*places)[i].patches.front());
    }
    EXPECT_LT(largestDifference(layer.bottleneck[1], denseGaussian(landmarks, landmarks)), 1e-6);
    EXPECT_LT(largestDifference(map.left()[1], denseGaussian(query, landmarks)), 1e-6);
  }
}

TEST(ChosenLandmarks, AreThoseOfTheWholeNetwork) {
  const Golden trained("soft");
  const Golden same("soft", withLandmarks({}));
  const Golden pooled("soft", withLandmarks({LandmarkSource::Pooled}));
  EXPECT_EQ(same.inspection->logits, trained.inspection->logits);
  EXPECT_NE(pooled.inspection->logits, trained.inspection->logits);
  for (std::size_t i = 0; i < trained.inspection->layers.size(); ++i) {
    const AttentionDescription& one = trained.inspection->layers[i].attention->description();
    const AttentionDescription& other = pooled.inspection->layers[i].attention->description();
    EXPECT_EQ(one.landmarks, other.landmarks) << "as many as were trained";
    EXPECT_EQ(one.landmarks.has_value(), !other.landmarkTokens.empty());
    EXPECT_TRUE(one.landmarkTokens.empty());
  }
  EXPECT_FALSE(trained.model->summary().counterfactual);
  EXPECT_TRUE(pooled.model->summary().counterfactual);
  EXPECT_EQ(pooled.model->summary().mechanismNote(), "pooled landmarks, not what was trained");
}

TEST(ChosenLandmarks, AreRepeatedByTheirSeed) {
  const auto logits = [](int seed) {
    return Golden("soft", withLandmarks({LandmarkSource::Random, 16, seed})).inspection->logits;
  };
  EXPECT_EQ(logits(3), logits(3));
  EXPECT_NE(logits(3), logits(4));
}

TEST(ChosenLandmarks, AreMeasuredInFloat64) {
  const Golden golden("soft", withLandmarks({LandmarkSource::Pooled}));
  const auto inspection = inspect(*golden.model, golden.input(), {}, {.precise = true});
  ASSERT_FALSE(inspection->layers.front().precise.empty());
  for (const LayerInspection& layer : inspection->layers) {
    ASSERT_EQ(layer.precise.size(), layer.bottleneck.size());
    for (std::size_t head = 0; head < layer.precise.size(); ++head) {
      EXPECT_LT(largestDifference(layer.bottleneck[head], layer.precise[head].kernel), 1e-5);
    }
  }
}

TEST(ChosenLandmarks, OfNystromformerAreOfTheSameTokensForQueriesAndKeys) {
  ModelRequest request = withLandmarks({LandmarkSource::Random, 10, 2});
  request.attention = "nystromformer";
  const Golden golden("t2t_nystromformer", request);
  const LayerInspection& layer = golden.inspection->layers.front();
  const auto& map = dynamic_cast<const FactoredMap&>(*layer.attention);
  ASSERT_EQ(map.description().landmarkTokens.size(), 10u);
  EXPECT_FALSE(map.description().landmarkGrid);
  for (int i = 0; i < 10; ++i) {
    // A landmark is a query: its row of K1 is its row of K2.
    const int token = map.description().landmarkTokens[static_cast<std::size_t>(i)].front();
    EXPECT_LT((map.left()[0].row(token) - layer.bottleneck[0].row(i)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(ChosenLandmarks, PooledAreWhatNystromformerWasTrainedWith) {
  ModelRequest request;
  request.attention = "nystromformer";
  const Golden trained("t2t_nystromformer", request);
  request.landmarks = {LandmarkSource::Pooled};
  const Golden pooled("t2t_nystromformer", request);
  EXPECT_LT(difference(pooled.inspection->logits,
                       {{static_cast<std::int64_t>(trained.inspection->logits.size())},
                        trained.inspection->logits}),
            1e-5);
  EXPECT_EQ(pooled.model->summary().mechanismNote(), "pooled landmarks");
  request.landmarks.count = 16;
  EXPECT_TRUE(Golden("t2t_nystromformer", request).model->summary().counterfactual);
}

TEST(ChosenLandmarks, AreRefusedWhereThereAreNone) {
  const auto refusal = [](const std::string& folder, std::optional<std::string> attention) {
    ModelRequest request = withLandmarks({LandmarkSource::First});
    request.path = goldenPath(folder + "/checkpoint.pth");
    request.attention = std::move(attention);
    return test::messageOf<ModelError>([&] { openModel(request); });
  };
  for (const auto& [folder, mechanism] : {std::pair<std::string, std::string>{"deit", "softmax"},
                                          {"sima", "sima"},
                                          {"t2t_transformer", "softmax"},
                                          {"soft", "gaussian"}}) {
    const auto attention = folder == "sima" ? std::nullopt : std::optional(mechanism);
    const std::string message = refusal(folder, attention);
    EXPECT_NE(message.find("its mechanism is " + mechanism + ", which has no landmarks"),
              std::string::npos)
        << folder << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(ChosenLandmarks, MoreThanALayersPatchesAreRefusedByName) {
  const Golden golden("soft");
  ModelRequest request = withLandmarks({LandmarkSource::First, 49});
  request.path = golden.path("checkpoint.pth");
  const auto model = openModel(request);
  // Stage 3 of 96 x 128 pixels has 6 x 8 patches.
  EXPECT_THROW(
      {
        try {
          inspect(*model, golden.input());
        } catch (const InspectionError& error) {
          EXPECT_NE(std::string(error.what()).find("block3.0.att.mha.attn has 48 patches"),
                    std::string::npos)
              << error.what();
          throw;
        }
      },
      InspectionError);
}

}  // namespace
}  // namespace softscope
