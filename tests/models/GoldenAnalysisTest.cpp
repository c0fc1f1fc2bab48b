#include "core/analysis/LineMeasures.h"
#include "core/analysis/SaliencyAnalysis.h"
#include "core/analysis/bottleneck/Convergence.h"
#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "tests/core/analysis/Reference.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace softscope {
namespace {

struct GoldenModel {
  std::string folder;
  std::optional<std::string> attention;
};

/// Softscope's analyses of what the authors' code computed, as it is stored in tests/data/golden.
class GoldenAnalysisTest : public ::testing::TestWithParam<GoldenModel> {
 protected:
  const Golden golden_{GetParam().folder, {.attention = GetParam().attention}};

  /// A head's matrix as the authors' code computed it; where not all rows are stored, as Softscope
  /// does.
  Eigen::MatrixXd official(std::size_t layer, int head) const {
    const nlohmann::json& meta = golden_.meta.at("layers")[layer];
    const AttentionMap& map = *golden_.inspection->layers[layer].attention;
    if (meta.at("rows") != "all") return test::wholeMatrix(map, head);
    const FloatArray stored = readNpy(golden_.path(meta.at("file").get<std::string>()));
    const int rows = map.description().queries;
    const int columns = map.description().keys;
    const float* values = stored.values.data() + static_cast<std::ptrdiff_t>(head) * rows * columns;
    return Eigen::Map<const Matrix>(values, rows, columns).cast<double>();
  }
};

TEST_P(GoldenAnalysisTest, SpectraAreThoseOfADenseSolver) {
  for (std::size_t i = 0; i < golden_.inspection->layers.size(); ++i) {
    const LayerInspection& layer = golden_.inspection->layers[i];
    SCOPED_TRACE(layer.name);
    const AttentionDescription& description = layer.attention->description();
    for (int head = 0; head < description.heads; ++head) {
      const Eigen::MatrixXd whole = official(i, head);
      const Spectrum spectrum = computeSpectrum(layer, head, SpectrumMatrix::Attention);
      EXPECT_LT(test::spectrumDifference(spectrum.singularValues.values,
                                         test::denseSingularValues(whole)),
                1e-4);
      ASSERT_EQ(spectrum.eigenvalues.has_value(), whole.rows() == whole.cols());
      // A dense solver for 768 tokens takes too long, and those are symmetric.
      if (!spectrum.eigenvalues || whole.rows() > 400) continue;
      EXPECT_LT(test::spectrumDifference(spectrum.eigenvalues->values,
                                         test::denseEigenvalueMagnitudes(whole)),
                1e-4);
      if (!spectrum.eigenvalueBound) continue;
      EXPECT_LE(spectrum.eigenvalues->values.front(), spectrum.eigenvalueBound->value + 1e-5);
    }
  }
}

TEST_P(GoldenAnalysisTest, BoundsAreDrawnWhereRowsAreWeights) {
  for (const LayerInspection& layer : golden_.inspection->layers) {
    const Eigen::MatrixXd whole = test::wholeMatrix(*layer.attention, 0);
    const bool weights = whole.rows() == whole.cols() && whole.minCoeff() >= 0 &&
                         (whole.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-4;
    EXPECT_EQ(eigenvalueBound(*layer.attention, 0).has_value(), weights) << layer.name;
  }
}

TEST_P(GoldenAnalysisTest, LineScoresAreThoseOfTheWholeMatrix) {
  for (std::size_t i = 0; i < golden_.inspection->layers.size(); ++i) {
    const LayerInspection& layer = golden_.inspection->layers[i];
    const Eigen::MatrixXd whole = official(i, 0);
    const Eigen::RowVectorXd columnMeans = whole.colwise().mean();
    const double explained =
        static_cast<double>(whole.rows()) * (columnMeans.array() - whole.mean()).square().sum();
    const LineScores scores = lineScores(*layer.attention, 0);
    // One query, as class attention has, makes no lines.
    const bool several = whole.rows() > 1;
    ASSERT_EQ(scores.raw.has_value(), several) << layer.name;
    ASSERT_EQ(scores.centred.has_value(), several) << layer.name;
    if (!several) continue;
    EXPECT_NEAR(*scores.raw, explained / (whole.array() - whole.mean()).square().sum(), 1e-4)
        << layer.name;
    const Eigen::MatrixXd centred = whole.colwise() - whole.rowwise().mean();
    EXPECT_NEAR(*scores.centred, explained / centred.squaredNorm(), 1e-4) << layer.name;
  }
}

TEST_P(GoldenAnalysisTest, NormsAndConvergenceAreThoseOfDenseMatrices) {
  int compared = 0;
  for (const LayerInspection& layer : golden_.inspection->layers) {
    if (layer.bottleneck.empty()) continue;
    SCOPED_TRACE(layer.name);
    const std::string& mechanism = layer.attention->description().mechanism;
    const InverseScheme released = schemesFor(mechanism).front();
    const bool cubic = released == InverseScheme::Nystromformer;
    const auto curves = convergence(
        layer, {.scheme = released, .iterations = cubic ? 6 : 20, .singlePrecision = true});
    for (std::size_t head = 0; head < layer.bottleneck.size(); ++head) {
      const Eigen::MatrixXd kernel = layer.bottleneck[head].cast<double>();
      const Eigen::MatrixXd inverse = layer.bottleneckInverse[head].cast<double>();
      const ReleasedAndExactNorms norms = spectralNorms(layer, static_cast<int>(head));
      EXPECT_NEAR(norms.released.inverse / test::denseSpectralNorm(inverse), 1, 1e-5);
      const Eigen::MatrixXd whole = test::wholeMatrix(*layer.attention, static_cast<int>(head));
      const double attention =
          mechanism == "soft++" ? norms.released.attentionNormalised : norms.released.attention;
      EXPECT_NEAR(attention / test::denseSpectralNorm(whole), 1, 1e-4);
      // The curves end where the model's own iteration ended.
      const double residual = test::denseSpectralNorm(kernel * inverse * kernel - kernel) /
                              test::denseSpectralNorm(kernel);
      EXPECT_NEAR(curves[head].residualRaw.back(), residual, 1e-4);
    }
    ++compared;
  }
  const std::string& folder = GetParam().folder;
  EXPECT_EQ(compared > 0,
            folder == "soft" || folder == "soft_norm" || folder == "t2t_nystromformer")
      << "where attention has landmarks";
}

/// Norms of the other mechanism on the same weights are those of the network opened as that.
TEST(ReleasedNorms, AreThoseOfEachMechanismsOwnCode) {
  const Golden soft("soft", {.attention = "soft"});
  const Golden normalised("soft", {.attention = "soft++"});
  // Later layers see other inputs.
  const LayerInspection& first = soft.inspection->layers.front();
  const LayerInspection& other = normalised.inspection->layers.front();
  ASSERT_FALSE(first.bottleneck.empty());
  for (std::size_t head = 0; head < first.bottleneck.size(); ++head) {
    const int index = static_cast<int>(head);
    const double ofSoft = test::denseSpectralNorm(test::wholeMatrix(*first.attention, index));
    const double ofSoftNorm = test::denseSpectralNorm(test::wholeMatrix(*other.attention, index));
    EXPECT_GT(std::abs(ofSoft / ofSoftNorm - 1), 1e-2);
    for (const LayerInspection* layer : {&first, &other}) {
      const SpectralNorms norms = spectralNorms(*layer, index).released;
      EXPECT_NEAR(norms.attention / ofSoft, 1, 1e-3);
      EXPECT_NEAR(norms.attentionNormalised / ofSoftNorm, 1, 1e-3);
    }
  }
}

/// The Gaussian kernel of the queries that the authors' code computed.
Eigen::MatrixXd officialKernel(const std::string& path, int head) {
  const FloatArray stored = readNpy(path);
  const auto tokens = static_cast<Eigen::Index>(stored.shape[1]);
  const auto width = static_cast<Eigen::Index>(stored.shape[2]);
  const Eigen::MatrixXd query =
      Eigen::Map<const Matrix>(stored.values.data() + head * tokens * width, tokens, width)
          .cast<double>();
  Eigen::MatrixXd kernel(tokens, tokens);
  for (Eigen::Index i = 0; i < tokens; ++i) {
    for (Eigen::Index j = 0; j < tokens; ++j) {
      // Stored before its division by d^(1/4).
      kernel(i, j) = std::exp(-(query.row(i) - query.row(j)).squaredNorm() /
                              (2 * std::sqrt(static_cast<double>(width))));
    }
  }
  return kernel;
}

TEST_P(GoldenAnalysisTest, ApproximationErrorsAreThoseOfDenseMatrices) {
  int compared = 0;
  for (const LayerInspection& layer : golden_.inspection->layers) {
    SCOPED_TRACE(layer.name);
    EXPECT_EQ(layer.exactKernel != nullptr, !layer.bottleneck.empty());
    std::string query = layer.name;
    std::replace(query.begin(), query.end(), '.', '_');
    query = golden_.path(query + ".q.npy");
    if (!layer.exactKernel || !std::filesystem::exists(query)) continue;
    const int head = layer.attention->description().heads - 1;
    const Eigen::MatrixXd kernel = officialKernel(query, head);
    EXPECT_LT((test::wholeMatrix(*layer.exactKernel, head) - kernel).cwiseAbs().maxCoeff(), 1e-4);
    for (const NystromForm& form : nystromForms(layer)) {
      const Eigen::MatrixXd difference = test::wholeMatrix(*form.map, head) - kernel;
      const ApproximationError error = approximationError(*layer.exactKernel, *form.map, head);
      EXPECT_NEAR(error.relativeFrobenius, difference.norm() / kernel.norm(),
                  1e-4 * error.relativeFrobenius);
      EXPECT_NEAR(error.largest, difference.cwiseAbs().maxCoeff(), 1e-4);
    }
    ++compared;
  }
  EXPECT_EQ(compared > 0, GetParam().folder == "soft") << "where queries are stored";
}

/// The sum over heads of the norms that the authors' code computed, of the patches alone.
Eigen::VectorXd officialSums(const std::string& path, int patches) {
  const FloatArray stored = readNpy(path);
  const auto heads = static_cast<Eigen::Index>(stored.shape[0]);
  const auto tokens = static_cast<Eigen::Index>(stored.shape[1]);
  return Eigen::Map<const Matrix>(stored.values.data(), heads, tokens)
      .rightCols(patches)
      .cast<double>()
      .colwise()
      .sum();
}

TEST_P(GoldenAnalysisTest, SaliencyIsThatOfTheStoredNorms) {
  int compared = 0;
  for (const LayerInspection& layer : golden_.inspection->layers) {
    SCOPED_TRACE(layer.name);
    std::string stem = layer.name;
    std::replace(stem.begin(), stem.end(), '.', '_');
    const auto& description = layer.attention->description();
    const auto queries = querySaliency(layer);
    EXPECT_EQ(queries.has_value(), layer.queryL1.size() > 0 && description.queryGrid.has_value());
    const std::pair<std::optional<Saliency>, std::string> sides[] = {
        {queries, golden_.path(stem + ".q_l1.npy")},
        {keySaliency(layer), golden_.path(stem + ".k_l1.npy")}};
    for (const auto& [side, path] : sides) {
      if (!side || !std::filesystem::exists(path)) continue;
      const Eigen::VectorXd sums = officialSums(path, side->grid.count());
      const SaliencyMap& map = side->summed;
      EXPECT_LT((map.norms.cast<double>() - sums).cwiseAbs().maxCoeff(), 1e-4 * sums.maxCoeff());
      EXPECT_NEAR(map.smallest, sums.minCoeff(), 1e-4 * sums.maxCoeff());
      EXPECT_NEAR(map.largest, sums.maxCoeff(), 1e-4 * sums.maxCoeff());
      EXPECT_EQ(map.values.maxCoeff(), 1);
      EXPECT_EQ(map.values.minCoeff(), 0);
      ++compared;
    }
  }
  const std::string& folder = GetParam().folder;
  EXPECT_EQ(compared > 0, folder == "sima" || folder == "deit" || folder == "deit_sima")
      << "where norms are stored";
}

TEST(ExactKernel, IsWhatTheSameWeightsAttendWithOutsideOfTheBottleneck) {
  for (const auto& [folder, landmarks, exact] :
       {std::tuple("soft", "soft", "gaussian"),
        {"soft_norm", "soft_norm", "gaussian"},
        {"t2t_nystromformer", "nystromformer", "softmax"}}) {
    SCOPED_TRACE(folder);
    const Golden approximated(folder, {.attention = landmarks});
    const Golden direct(folder, {.attention = exact});
    // Its queries do not depend on the mechanism.
    const LayerInspection& first = approximated.inspection->layers.front();
    const AttentionMap& attention = *direct.inspection->layers.front().attention;
    EXPECT_EQ(first.exactKernel->description().mechanism, exact);
    EXPECT_FALSE(first.exactKernel->description().landmarks);
    EXPECT_EQ(first.exactKernel->description().queryGrid, attention.description().queryGrid);
    EXPECT_TRUE(first.exactKernel->row(0, 7).isApprox(attention.row(0, 7), 1e-5f));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, GoldenAnalysisTest,
    ::testing::Values(GoldenModel{"soft", "soft"}, GoldenModel{"soft_norm", "soft_norm"},
                      GoldenModel{"sima"}, GoldenModel{"xcit"}, GoldenModel{"deit"},
                      GoldenModel{"deit_sima", "sima"}, GoldenModel{"t2t_performer"},
                      GoldenModel{"t2t_transformer"},
                      GoldenModel{"t2t_nystromformer", "nystromformer"}, GoldenModel{"cvt"},
                      GoldenModel{"efficientvit_b"}, GoldenModel{"efficientvit_b_timm"},
                      GoldenModel{"efficientvit_l"}, GoldenModel{"mlla"}, GoldenModel{"rala"},
                      GoldenModel{"inline_deit"}, GoldenModel{"agent_deit"},
                      GoldenModel{"slab_deit"}, GoldenModel{"flatten_pvt"},
                      GoldenModel{"pola_pvt"}),
    [](const auto& test) { return test.param.folder; });

}  // namespace
}  // namespace softscope
