#include "core/Error.h"
#include "core/analysis/AttentionSpread.h"
#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/analysis/spectrum/SpectrumAnalysis.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/attention/RandomMatrix.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/analysis/PlottedFigure.h"
#include "widgets/paint/ValueText.h"

#include <QtGui/QFontMetricsF>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using test::randomStack;
using ::testing::HasSubstr;

Matrix diagonal(const std::vector<float>& values) {
  Matrix matrix = Matrix::Zero(Eigen::Index(values.size()), Eigen::Index(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    matrix(Eigen::Index(i), Eigen::Index(i)) = values[i];
  }
  return matrix;
}

MatrixStack stackOf(const Matrix& matrix) {
  return MatrixStack(std::vector<Matrix>{matrix});
}

/// One head of SOFT whose P is the identity and whose A and V are diagonal.
LayerInspection diagonalSoftLayer(const std::string& name, const std::vector<float>& kernel,
                                  const std::vector<float>& inverse,
                                  const std::string& mechanism = "soft++") {
  const auto m = static_cast<int>(kernel.size());
  AttentionDescription description;
  description.mechanism = mechanism;
  description.landmarks = m;
  const MatrixStack p = stackOf(diagonal(std::vector<float>(kernel.size(), 1)));
  LayerInspection layer;
  layer.name = name;
  layer.attention = std::make_shared<FactoredMap>(description, p, stackOf(diagonal(inverse)), p);
  layer.bottleneck = {diagonal(kernel)};
  layer.bottleneckInverse = {diagonal(inverse)};
  return layer;
}

LayerInspection softmaxLayer() {
  AttentionDescription description;
  description.mechanism = "softmax";
  LayerInspection layer;
  layer.name = "block4.0.attn";
  layer.attention = std::make_shared<DenseMap>(description, stackOf(diagonal({0.5f, 0.25f})));
  return layer;
}

AnalysedLayer analysed(std::vector<LayerInspection> layers, std::size_t index,
                       const std::string& model = "soft_norm") {
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = std::move(layers);
  inspection->inputHeight = inspection->inputWidth = 64;
  return {model, {}, inspection, index, {}};
}

double number(const Table& table, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i] == column) return std::get<double>(table.rows[row][i]);
  }
  ADD_FAILURE() << "no column " << column;
  return 0;
}

TEST(ConvergencePlots, FollowTheClosedFormOfADiagonalMatrix) {
  const AnalysedLayer layer = analysed({diagonalSoftLayer("block1.0.attn", {1, 0.5f}, {1, 2})}, 0);
  ConvergenceSettings settings;
  settings.scheme = InverseScheme::Theorem;
  settings.iterations = 6;
  const auto results = computeConvergence({layer}, settings);
  const Table table = convergenceTable(results);
  ASSERT_EQ(table.rows.size(), 7u);
  // a = 2 / |A|_1^2 = 2 and V_0 = a A: after k steps 1 - a_i v_i is (1 - 2 a_i^2)^(2^k).
  for (std::size_t k = 0; k < 7; ++k) {
    const double first = std::pow(-1.0, std::pow(2.0, double(k)));
    const double second = std::pow(0.5, std::pow(2.0, double(k)));
    EXPECT_NEAR(number(table, k, "residual"), std::max(std::abs(first), 0.5 * second), 1e-9) << k;
    EXPECT_NEAR(number(table, k, "inverse_distance"), std::max(std::abs(first), 2 * second) / 2,
                1e-9);
  }
  const std::vector<Plot> plots = ConvergenceAnalysis::plots(results, {});
  ASSERT_EQ(plots.size(), 3u);
  EXPECT_EQ(plots[0].curves.front().y.size(), 7u);
  EXPECT_THAT(convergenceSummary(results), HasSubstr("0 of 1 heads reach"));
  // The residual of the eigenvalue 1 stays 1, as the distance does: a is not small enough.
  EXPECT_THAT(convergenceSummary(results), HasSubstr("its floor the residual falls in none"));
  EXPECT_EQ(std::get<std::int64_t>(table.rows[3][9]), 0);
  EXPECT_EQ(plots[0].note, "does not fall with every step");
}

TEST(ConvergencePlots, CountHeadsInWhichEachQuantityOfProposition2Falls) {
  // Its largest eigenvalue, 1.42, is less than |A|_1 = 1.6: a = 2 / |A|_1^2 is small enough.
  AnalysedLayer layer = analysed({diagonalSoftLayer("block1.0.attn", {1, 1, 1}, {1, 1, 1})}, 0);
  auto inspection = std::make_shared<Inspection>(*layer.inspection);
  Matrix& kernel = inspection->layers[0].bottleneck[0];
  kernel(0, 1) = kernel(1, 0) = kernel(1, 2) = kernel(2, 1) = 0.3f;
  layer.inspection = inspection;
  ConvergenceSettings settings;
  settings.scheme = InverseScheme::Theorem;
  const auto results = computeConvergence({layer}, settings);
  const FallingHeads falling = fallingHeads(results);
  EXPECT_EQ(falling.heads, 1);
  EXPECT_EQ(falling.residual, 1);
  EXPECT_EQ(falling.inverseDistance, 1);
  const Table table = convergenceTable(results);
  EXPECT_EQ(table.columns[9], "residual_falls");
  EXPECT_EQ(table.columns[10], "inverse_distance_falls");
  for (const auto& row : table.rows) {
    EXPECT_EQ(std::get<std::int64_t>(row[9]), 1);
    EXPECT_EQ(std::get<std::int64_t>(row[10]), 1);
  }
  const std::vector<Plot> plots = ConvergenceAnalysis::plots(results, {});
  EXPECT_EQ(plots[0].note, "falls with every step");
  EXPECT_EQ(plots[1].note, "falls with every step");
  const QString caption = ConvergenceAnalysis::caption(results, {});
  EXPECT_TRUE(caption.startsWith(QString::fromStdString(convergenceSummary(results))))
      << "the result comes first";
}

TEST(ConvergencePlots, SayWhereThereIsNoBottleneck) {
  const auto results = computeConvergence({analysed({softmaxLayer()}, 0)}, {});
  EXPECT_THAT(results[0].obstacle, HasSubstr("no bottleneck matrix"));
  EXPECT_TRUE(convergenceTable(results).rows.empty());
}

TEST(NormsPlots, AreThoseOfDiagonalMatrices) {
  // D = A for a diagonal A: D^-1/2 V D^-1/2 = V / A.
  const AnalysedLayer layer =
      analysed({diagonalSoftLayer("block1.0.attn", {1, 0.5f}, {1, 1.5f})}, 0);
  const Table table = normsTable(computeNorms({{layer, {}}}, {}), {});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_NEAR(number(table, 0, "norm_pinv"), 1.5, 1e-6);
  EXPECT_NEAR(number(table, 0, "norm_pinv_normalised"), 3, 1e-6);
  EXPECT_NEAR(number(table, 0, "norm_soft"), 1 / 0.51, 1e-5)
      << "SOFT's iteration inverts A + 0.01 I";
  EXPECT_NEAR(number(table, 0, "condition"), 1.5, 1e-6);
  EXPECT_NEAR(number(table, 1, "norm_pinv"), 2, 1e-6);
  EXPECT_NEAR(number(table, 1, "norm_pinv_normalised"), 4, 1e-6);
  EXPECT_NEAR(number(table, 1, "norm_softpp"), 4, 1e-6);
}

/// m landmarks at side m: eigenvalues 1, ..., 1, m^-2, so that the exact inverse's norm is m^2.
std::shared_ptr<const Inspection> inspectionAt(int side, const std::string& mechanism = "soft++") {
  std::vector<float> kernel(static_cast<std::size_t>(side), 1);
  kernel.back() = 1.0f / static_cast<float>(side * side);
  std::vector<float> inverse(static_cast<std::size_t>(side), 1);
  inverse.back() = static_cast<float>(side);
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {diagonalSoftLayer("block1.0.attn", kernel, inverse, mechanism),
                        softmaxLayer()};
  inspection->inputHeight = inspection->inputWidth = side;
  return inspection;
}

TEST(NormsPlots, ASweepFindsTheExponents) {
  AnalysedLayer first = analysed(inspectionAt(8)->layers, 0);
  AnalysedLayer second = first;
  second.index = 1;
  std::vector<int> ran;
  const NormsSubject::Run run = [&ran](std::optional<int> side, const Progress&) {
    ran.push_back(*side);
    return inspectionAt(*side);
  };
  const NormsSettings settings{{8, 16, 32}, 1e-12};
  const auto results = computeNorms({{first, run}, {second, run}}, settings);
  EXPECT_EQ(ran, (std::vector<int>{8, 16, 32})) << "layers of one model share its runs";
  EXPECT_THAT(results[1].obstacle, HasSubstr("no bottleneck matrix"));
  ASSERT_EQ(results[0].sizes.size(), 3u);
  const NormGrowth growth = normGrowth(results[0], 0, true);
  EXPECT_NEAR(growth.inverse->exponent, 2, 1e-4);
  EXPECT_NEAR(growth.inverseNormalised->exponent, 4, 1e-4)
      << "A's last row sum falls as m^-2 as well";
  EXPECT_NEAR(*growth.inverse->exponentError, 0, 1e-4);
  EXPECT_NEAR(normGrowth(results[0], 0, false).inverseNormalised->exponent, 3, 1e-4)
      << "the recorded m over a row sum of m^-2";
  EXPECT_EQ(normsTable(results, settings).rows.size(), 6u);
  const std::vector<Plot> plots = normsPlots(results);
  ASSERT_EQ(plots.size(), 4u) << "both inverses, and the attention with both";
  EXPECT_THAT(plots[1].curves.front().group.toStdString(), HasSubstr("2.00 ± 0.00, 4.00 ± 0.00"));
  const PlotCurve& attention = plots[3].curves[0];
  const PlotCurve& bound = plots[3].curves[2];
  for (std::size_t i = 0; i < bound.y.size(); ++i) EXPECT_GE(bound.y[i], attention.y[i] * 0.999999);
}

TEST(NormsPlots, SayNothingOfSoftWhereTheKernelIsNotGaussian) {
  const AnalysedLayer layer = analysed(inspectionAt(8, "nystromformer")->layers, 0);
  const NormsSubject::Run run = [](std::optional<int> side, const Progress&) {
    return inspectionAt(*side, "nystromformer");
  };
  const NormsSettings oneSize;
  const NormsSettings sweep{{8, 16, 32}, 1e-12};
  for (const NormsSettings& settings : {oneSize, sweep}) {
    const auto results =
        computeNorms({{layer, settings.sizes.empty() ? NormsSubject::Run() : run}}, settings);
    const Table table = normsTable(results, settings);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      EXPECT_GT(number(table, row, "norm_soft"), 0);
      for (const char* column : {"norm_softpp", "norm_pinv_normalised", "bound_softpp"}) {
        EXPECT_TRUE(std::isnan(number(table, row, column))) << column << ", row " << row;
      }
    }
    EXPECT_THAT(table.sentence, HasSubstr("|S|"));
    std::string words = table.sentence + normsCaption(results, settings).about.toStdString();
    for (const Plot& plot : normsPlots(results)) {
      words += plot.title.toStdString();
      EXPECT_FALSE(plot.curves.empty());
      for (const PlotCurve& curve : plot.curves) {
        words += " / " + (curve.name + curve.group).toStdString();
        EXPECT_NE(curve.line, PlotCurve::Line::Dashed);
      }
    }
    for (const char* word : {"SOFT", "D⁻¹", "predicted", "P|²"}) {
      EXPECT_THAT(words, ::testing::Not(HasSubstr(word)));
    }
  }
}

TEST(NormsPlots, ACancelledSweepStops) {
  Progress progress;
  const AnalysedLayer layer = analysed(inspectionAt(8)->layers, 0);
  const NormsSubject::Run run = [&progress](std::optional<int> side, const Progress&) {
    progress.cancel();
    return inspectionAt(*side);
  };
  EXPECT_THROW(computeNorms({{layer, run}}, {{8, 16}, 1e-12}, progress), Cancelled);
}

TEST(Captions, SentencesThatOthersFollowHaveNoFullStop) {
  EXPECT_EQ(joinedCaption({"Two are 0.1.", {}, "of all", "Done."}).toStdString(),
            "Two are 0.1 · of all · Done.");
  const AnalysedLayer layer =
      analysed({diagonalSoftLayer("block1.0.attn", {1, 0.5f}, {1, 2}), softmaxLayer()}, 0);
  const auto spectra = computeSpectra({layer}, SpectrumMatrix::Bottleneck);
  const QString caption = SpectrumAnalysis::caption(spectra, {SpectrumMatrix::Bottleneck, true});
  EXPECT_FALSE(caption.contains(QStringLiteral(". ·"))) << caption.toStdString();
  EXPECT_FALSE(captionOf({layer}, QStringLiteral("One.")).about.contains(QStringLiteral(". ·")));
}

TEST(SpectrumPlots, HaveACurveForEveryHeadAndABoundThatHolds) {
  const AnalysedLayer layer =
      analysed({diagonalSoftLayer("block1.0.attn", {1, 0.5f}, {1, 2}), softmaxLayer()}, 0);
  const auto spectra = computeSpectra({layer}, SpectrumMatrix::Bottleneck);
  const std::vector<Plot> plots =
      SpectrumAnalysis::plots(spectra, {SpectrumMatrix::Bottleneck, true});
  ASSERT_EQ(plots.size(), 2u);
  ASSERT_EQ(plots[0].curves.size(), 1u);
  EXPECT_NEAR(plots[0].curves[0].y[1], 0.5, 1e-9);
  ASSERT_EQ(plots[1].levels.size(), 1u);
  EXPECT_EQ(plots[1].levels[0].value, 2) << "m landmarks";
  const Table table = spectrumTable(spectra);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_NEAR(number(table, 1, "eigenvalue_abs"), 0.5, 1e-9);

  AnalysedLayer other = layer;
  other.index = 1;
  const auto none = computeSpectra({other}, SpectrumMatrix::Bottleneck);
  EXPECT_FALSE(none[0].obstacle.empty());
  EXPECT_TRUE(spectrumTable(none).rows.empty());
}

TEST(SpectrumPlots, SpreadRanksWhereLayersHaveVeryDifferentLengths) {
  const auto ofLength = [](int length) {
    const std::vector<float> values(static_cast<std::size_t>(length), 0.5f);
    return diagonalSoftLayer("block.attn", values, values);
  };
  const auto isLogarithmic = [&](int one, int other) {
    const std::vector<LayerInspection> layers{ofLength(one), ofLength(other)};
    const auto spectra =
        computeSpectra({analysed(layers, 0), analysed(layers, 1)}, SpectrumMatrix::Bottleneck);
    return SpectrumAnalysis::plots(spectra, {SpectrumMatrix::Bottleneck, true})[0].x.logarithmic;
  };
  EXPECT_TRUE(isLogarithmic(2, 18));
  EXPECT_FALSE(isLogarithmic(4, 18));
}

TEST(SpectrumPlots, CrossNegativeEigenvaluesAndCountThem) {
  const AnalysedLayer layer =
      analysed({diagonalSoftLayer("block1.0.attn", {1, 1, 1, 1}, {4, -3, 1e-8f, -2})}, 0);
  const auto spectra = computeSpectra({layer}, SpectrumMatrix::Attention);
  const std::vector<Plot> plots =
      SpectrumAnalysis::plots(spectra, {SpectrumMatrix::Attention, true});
  EXPECT_EQ(plots[1].note, "2 of 4 negative");
  ASSERT_EQ(plots[1].curves.size(), 2u);
  const PlotCurve& marks = plots[1].curves[1];
  EXPECT_EQ(marks.group, "negative");
  EXPECT_EQ(marks.marker, PlotCurve::Marker::Cross);
  EXPECT_EQ(marks.line, PlotCurve::Line::None);
  EXPECT_EQ(marks.x, (std::vector<double>{2, 3}));
  EXPECT_NEAR(marks.y[0], 3, 1e-6);
  EXPECT_NEAR(marks.y[1], 2, 1e-6);
  EXPECT_EQ(plots[0].curves.size(), 1u) << "singular values have no sign";
  ASSERT_EQ(plots[1].levels.size(), 1u);
  EXPECT_NEAR(plots[1].levels[0].value, 4 * 4 * 1.1920929e-7, 1e-12);
  const QString about = plottedFigure<SpectrumAnalysis>(spectra, {}).blocks[0].caption->about;
  EXPECT_THAT(about.toStdString(), HasSubstr("2 of 4 eigenvalues are negative, to \u22123"));
  EXPECT_THAT(about.toStdString(), HasSubstr("1 is zero to float32's rounding"));
  const Table table = spectrumTable(spectra);
  ASSERT_EQ(table.columns.size(), 8u);
  EXPECT_EQ(table.columns[7], "eigenvalue_sign");
  EXPECT_NEAR(number(table, 1, "eigenvalue_real"), -3, 1e-6);
  const std::vector<int> signs{1, -1, -1, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::get<std::int64_t>(table.rows[i][7]), signs[i]);
}

TEST(Overview, SaysTheLargestMagnitudeOfSignedEntries) {
  LayerInspection sima;
  sima.name = "blocks.0.attn";
  sima.attention = std::make_shared<DenseMap>(AttentionDescription{.mechanism = "sima"},
                                              stackOf(diagonal({1, -5})));
  const auto overview = computeOverview({analysed({sima}, 0)}, OverviewMeasure::Entries);
  const Table table = overviewTable(overview, OverviewMeasure::Entries);
  EXPECT_EQ(table.sentence, "The largest magnitude of an entry is 5.");
  EXPECT_EQ(number(table, 0, "largest_entry"), 1);
}

TEST(Legend, TakesTheTextsColourWhereCurvesOfAGroupHaveSeveral) {
  Plot plot;
  for (const QColor& color : curveColors(2)) {
    plot.curves.push_back({.name = "head", .group = color.name(), .color = color});
    plot.curves.push_back({.name = "head, negative", .group = "negative", .color = color});
  }
  const std::vector<LegendEntry> entries = legendOf({plot});
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].color, curveColors(2)[0]);
  EXPECT_FALSE(entries[1].color.isValid());
}

TEST(Overview, OfEntriesTellsThemBesideTheirBound) {
  AttentionDescription description;
  description.mechanism = "sima";
  description.parameters["D"] = 8;
  LayerInspection sima;
  sima.name = "blocks.0.attn";
  sima.attention = std::make_shared<DenseMap>(description, stackOf(diagonal({0.5f, -2})));
  const AnalysedLayer layer = analysed({sima, softmaxLayer()}, 0, "sima");
  AnalysedLayer other = layer;
  other.index = 1;
  const auto overview = computeOverview({layer, other}, OverviewMeasure::Entries);
  ASSERT_EQ(overview.size(), 2u);
  EXPECT_EQ(overview[0].heads, (std::vector<std::optional<double>>{2}));
  EXPECT_EQ(overview[1].heads, (std::vector<std::optional<double>>{0.5}));
  const Table table = overviewTable(overview, OverviewMeasure::Entries);
  EXPECT_EQ(number(table, 0, "smallest_entry"), -2);
  EXPECT_EQ(number(table, 0, "largest_entry"), 0.5);
  EXPECT_EQ(number(table, 0, "entry_bound"), 8);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1].back())) << "softmax has none";
  EXPECT_THAT(
      overviewMeaning(overview, OverviewMeasure::Entries).toStdString(),
      HasSubstr("the 8 channels of a head (its Section 2.2), and here at most 0.250 of it"));
  EXPECT_THAT(overviewValueText(overview[0], 0, OverviewMeasure::Entries).toStdString(),
              HasSubstr("−2.00 to 0.500, bounded by ±8"));
  EXPECT_NO_THROW(overviewFigure(overview, OverviewMeasure::Entries));
}

TEST(Overview, IsUndefinedForHeadsWhoseTokensAreNotPatches) {
  const TokenGrid grid{2, 4};
  const auto inspection = std::make_shared<const Inspection>(Inspection{
      .layers = {{.name = "patches",
                  .attention = std::make_shared<DenseMap>(
                      AttentionDescription{.queryGrid = grid, .keyGrid = grid},
                      randomStack(2, 8, 8, 1))},
                 {.name = "channels",
                  .attention = std::make_shared<DenseMap>(
                      AttentionDescription{.mechanism = "xca_channel"}, randomStack(3, 6, 6, 1))},
                 {.name = "class",
                  .attention = std::make_shared<DenseMap>(
                      AttentionDescription{.keyGrid = grid, .prefixTokens = 1},
                      randomStack(1, 1, 9, 1))}},
      .inputHeight = 32,
      .inputWidth = 64});
  std::vector<AnalysedLayer> layers;
  for (std::size_t i = 0; i < inspection->layers.size(); ++i) {
    layers.push_back({.model = "model", .inspection = inspection, .index = i});
  }
  std::vector<double> fractions;
  const Progress progress(
      [&](double fraction, const std::string&) { fractions.push_back(fraction); });
  const auto distances = computeOverview(layers, OverviewMeasure::Distance, progress);
  ASSERT_EQ(distances.size(), 3u);
  ASSERT_EQ(distances[0].heads.size(), 2u);
  EXPECT_EQ(distances[0].heads[1], attentionDistance(*inspection->layers[0].attention, 1, 32, 64));
  EXPECT_EQ(distances[1].heads, std::vector<std::optional<double>>(3));
  EXPECT_EQ(distances[2].heads, std::vector<std::optional<double>>(1));
  EXPECT_EQ(fractions.size(), 3u);
  const LayerHeadMap map = overviewMap(distances, OverviewMeasure::Distance);
  EXPECT_EQ(map.layers, (QStringList{"patches", "channels", "class"}));
  EXPECT_EQ(map.values[0], distances[0].heads);
  EXPECT_THROW(overviewFigure({distances[1], distances[2]}, OverviewMeasure::Distance),
               InspectionError);
}

TEST(Overview, SaysWhyAHeadHasNoNumber) {
  const TokenGrid grid{2, 2};
  const auto layer = [](const char* name, const AttentionDescription& description,
                        const Matrix& weights) {
    LayerInspection made;
    made.name = name;
    made.attention = std::make_shared<DenseMap>(description, stackOf(weights));
    return made;
  };
  const AttentionDescription patches{.queryGrid = grid, .keyGrid = grid};
  const std::vector<LayerInspection> layers{
      layer("channels", {.mechanism = "xca_channel"}, Matrix::Ones(4, 4)),
      layer("zero", patches, Matrix::Zero(4, 4)),
      layer("one", {.queryGrid = grid, .keyGrid = TokenGrid{1, 1}}, Matrix::Ones(4, 1))};
  const auto said = [&](std::size_t index, OverviewMeasure of) {
    const auto overview = computeOverview({analysed(layers, index)}, of);
    return overviewValueText(overview.front(), 0, of).toStdString();
  };
  const auto refusal = [&](std::size_t index, OverviewMeasure of) {
    return test::messageOf<InspectionError>([&] {
      checkOverview(computeOverview({analysed(layers, 0), analysed(layers, index)}, of), of);
    });
  };
  EXPECT_EQ(said(0, OverviewMeasure::Distance), "not defined: its tokens are not patches");
  EXPECT_EQ(said(1, OverviewMeasure::Distance),
            "not defined: its weights on patches are all zero or not all finite");
  EXPECT_EQ(said(1, OverviewMeasure::Entropy),
            "not defined: its weights are all zero or not all finite");
  EXPECT_EQ(said(2, OverviewMeasure::Entropy), "not defined: there is one key");
  EXPECT_THAT(refusal(0, OverviewMeasure::Distance), HasSubstr("from patches to patches"));
  EXPECT_THAT(refusal(1, OverviewMeasure::Distance),
              HasSubstr("of zero, its weights on patches are all zero"));
  EXPECT_THAT(refusal(2, OverviewMeasure::Entropy), HasSubstr("of one, there is one key"));
  EXPECT_EQ(refusal(2, OverviewMeasure::Distance), "");
}

TEST(LayerHeadMaps, ShortenNamesToWhatTellsThemApartAndKeepWithinTheirPlace) {
  LayerHeadMap map;
  map.layers = {"block2.0.att.mha.attn", "block2.1.att.mha.attn"};
  map.values = {{1.0}, {2.0}};
  const FigureStyle style = printStyle({});
  const auto layoutIn = [&](double width) {
    return layoutLayerHeadMap(QRectF(0, 0, width, 400), map, style);
  };
  const double whole = QFontMetricsF(style.small).horizontalAdvance(map.layers[1]);
  EXPECT_EQ(layoutIn(3 * whole).layers, map.layers);
  const LayerHeadLayout narrow = layoutIn(1.5 * whole);
  EXPECT_EQ(narrow.layers, (QStringList{"block2.0", "block2.1"}));
  EXPECT_LE(narrow.colorBar.right(), 1.5 * whole + 1e-6);
  map.layers = {"block2.1.left", "block2.1.right"};
  EXPECT_EQ(layoutIn(20).layers, map.layers) << "in short, they would be the same";
}

TEST(Overview, MeasuresDistancesOnWhatTheTokensCover) {
  const TokenGrid grid{2, 4};
  auto inspection = std::make_shared<Inspection>(
      Inspection{.layers = {{.name = "layer",
                             .attention = std::make_shared<DenseMap>(
                                 AttentionDescription{.queryGrid = grid, .keyGrid = grid},
                                 randomStack(1, 8, 8, 1))}},
                 .inputHeight = 28,
                 .inputWidth = 56});
  inspection->seen = PictureRegion{-4, -2, 64, 32};
  const auto distances =
      computeOverview({{.model = "model", .inspection = inspection}}, OverviewMeasure::Distance);
  EXPECT_EQ(distances[0].heads[0], attentionDistance(*inspection->layers[0].attention, 0, 32, 64));
  const auto even = uniformDistance(*inspection->layers[0].attention, 32, 64);
  EXPECT_THAT(overviewValueText(distances[0], 0, OverviewMeasure::Distance).toStdString(),
              HasSubstr("uniform attention has " + valueText(even.value(), 3).toStdString()));
}

TEST(ReachFigure, PixelsLieWhereTheyAreOnAGridThatReachesBeyondTheInput) {
  const TokenGrid grid{2, 2};
  const auto inspection = std::make_shared<const Inspection>(
      Inspection{.layers = {{.name = "layer",
                             .attention = std::make_shared<DenseMap>(
                                 AttentionDescription{.queryGrid = grid, .keyGrid = grid},
                                 randomStack(1, 4, 4, 1))}}});
  Reach reach{.layer = "layer", .grid = grid, .patch = 0, .height = 2, .width = 2};
  reach.pixels = Eigen::Vector4d(1, 4, 9, 16);
  reach.seen = PictureRegion{-1, -1, 4, 4};
  const LayerReach of{.of = {.model = "model", .inspection = inspection}, .reach = reach};
  const AttentionValues values = reachPanels({of}, {}, {}).at(0).values;
  EXPECT_EQ(values.grid, (TokenGrid{4, 4}));
  EXPECT_EQ(values.at(1, 1), 1);
  EXPECT_EQ(values.at(1, 2), 2);
  EXPECT_EQ(values.at(2, 1), 3);
  EXPECT_EQ(values.at(2, 2), 4);
  EXPECT_EQ(values.at(0, 3), 0);
  EXPECT_EQ(values.at(3, 3), 0);
}

TEST(ConvergencePlots, SayBrieflyInHowManyOfSeveralHeadsAQuantityFalls) {
  const auto layer = [](const char* name) { return diagonalSoftLayer(name, {1, 1, 1}, {1, 1, 1}); };
  const std::vector<LayerInspection> layers{layer("block1.0.attn"), layer("block1.1.attn")};
  const auto results = computeConvergence({analysed(layers, 0), analysed(layers, 1)}, {});
  const FallingHeads falling = fallingHeads(results);
  ASSERT_EQ(falling.heads, 2);
  const QString count =
      falling.residual == 2 ? QStringLiteral("all 2") : QString::number(falling.residual) + " of 2";
  EXPECT_EQ(ConvergenceAnalysis::plots(results, {})[0].note,
            QStringLiteral("falls in %1 heads").arg(count))
      << "a note is narrow, and the caption says that each step is meant";
}

TEST(Overview, OfNumbersThatAreNotFiniteIsRefused) {
  LayerOverview layer{analysed({softmaxLayer()}, 0), {}, {}};
  for (const double value : {std::nan(""), HUGE_VAL}) {
    layer.heads = {value};
    EXPECT_THROW(overviewFigure({layer}, OverviewMeasure::Distance), InspectionError);
  }
}

TEST(ShareFigure, LeavesOutWhatIsNotFinite) {
  const double none = std::nan("");
  HeadShare lacking{1, {}, none, Knockout{none, none, 0}};
  HeadShare known{1, {}, 2, Knockout{none, none, 0}};
  ModelShare share;
  share.layers = {LayerShare{"layer", "soft", {lacking, known}, lacking, 10, 3}};
  share.logits = {1, 2};
  share.knockouts = true;
  const LayerHeadMap map = shareMap(share, ShareReference::Residual);
  EXPECT_EQ(map.values[0], (std::vector<std::optional<double>>{std::nullopt, 0.2}));
  EXPECT_EQ(map.whole[0], std::nullopt);
  EXPECT_FLOAT_EQ(map.range.high, 0.2f);
  EXPECT_THAT(shareSummary(share).toStdString(), HasSubstr("no knock-out leaves finite logits"));
}

TEST(ShareFigure, NamesNoClassWhereALogitIsNaN) {
  HeadShare silent;
  silent.knockout = compareLogits({1, 2}, {std::nanf(""), 1});
  ModelShare share;
  share.layers = {LayerShare{"layer", "soft", {silent}, silent, 10, 3}};
  share.logits = {1, 2};
  share.knockouts = true;
  const MeasuredShare measured{
      .model = "net", .classNames = {"tabby"}, .share = std::make_shared<const ModelShare>(share)};
  const std::string text = shareText(measured, 0, 0).toStdString();
  EXPECT_THAT(text, ::testing::EndsWith("no class"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("tabby")));
}

/// The last of 2 x 2 patches and a class token, reached by the five before the block.
LayerReach reachOfLastPatch() {
  AttentionDescription attention;
  attention.prefixTokens = 1;
  attention.queryGrid = {2, 2};
  attention.keyGrid = {2, 2};
  const auto inspection = std::make_shared<const Inspection>(Inspection{
      .layers = {{.name = "layer",
                  .attention = std::make_shared<DenseMap>(attention, randomStack(1, 5, 5, 1))}}});
  Reach reach{.layer = "layer",
              .from = ReachSource::Tokens,
              .grid = {2, 2},
              .patch = 3,
              .token = 4,
              .prefixTokens = 1,
              .height = 2,
              .width = 2};
  reach.pixels = Eigen::Vector4d(1, 4, 9, 64);
  reach.prefix = Eigen::VectorXd::Constant(1, 50);
  return {.of = {.model = "model", .inspection = inspection}, .reach = reach};
}

TEST(ReachFigure, ColoursOfTokensLeaveTheTokenItselfOut) {
  const ReachSettings ofTokens{.from = ReachSource::Tokens};
  LayerReach of = reachOfLastPatch();
  const HeadPanel panel = reachPanels({of}, ofTokens, {}).at(0);
  EXPECT_EQ(panel.values.patches, Vector(Eigen::Vector4f(1, 2, 3, 8)));
  EXPECT_EQ(panel.range.low, 1);
  EXPECT_EQ(panel.range.high, 3);
  EXPECT_TRUE(panel.range.exceeded);

  of.reach.pixels[3] = 5;
  EXPECT_FALSE(reachPanels({of}, ofTokens, {}).at(0).range.exceeded);
  of = reachOfLastPatch();
  of.reach.patch.reset();
  of.reach.token = 0;
  const ValueRange ofClassToken = reachPanels({of}, ofTokens, {}).at(0).range;
  EXPECT_EQ(ofClassToken.high, 8);
  EXPECT_FALSE(ofClassToken.exceeded);
  of = reachOfLastPatch();
  of.reach.from = ReachSource::Pixels;
  EXPECT_EQ(reachPanels({of}, {}, {}).at(0).range.high, 8);
}

TEST(ReachFigure, SaysHowMuchOfATokenComesFromItself) {
  const ReachSettings ofTokens{.from = ReachSource::Tokens};
  const LayerReach of = reachOfLastPatch();
  EXPECT_THAT(
      reachText({of}, ofTokens).toStdString(),
      HasSubstr("reach patch (1, 1): 50 % from itself · colours leave the token itself out"));
  EXPECT_EQ(reachPanels({of, of}, ofTokens, {}).at(1).note, QStringLiteral("50 % from itself"));
  LayerReach ofPixels = of;
  ofPixels.reach.from = ReachSource::Pixels;
  EXPECT_THAT(reachText({ofPixels}, {}).toStdString(), ::testing::Not(HasSubstr("itself")));
}

TEST(ClassFigure, NamesEntriesOnlyOfMapsThatAreMadeOfThem) {
  const auto textOf = [](const std::vector<ClassMap>& maps) {
    return classText({.model = "model", .first = {.probability = 0.5, .maps = maps}}, {})
        .toStdString();
  };
  const ClassMap rollout{.method = ClassMethod::GradientRollout};
  const ClassMap gradCam{.method = ClassMethod::GradCam};
  const ClassMap noLeGrad{.method = ClassMethod::LeGrad, .obstacle = "no head reads its blocks"};
  EXPECT_THAT(textOf({rollout, gradCam}),
              HasSubstr("%) · the positive part of the attention's entries"));
  EXPECT_THAT(textOf({gradCam}), ::testing::EndsWith("%)"));
  EXPECT_THAT(textOf({gradCam, noLeGrad}), HasSubstr("%) · no LeGrad: no head reads its blocks"));
}

}  // namespace
}  // namespace softscope
