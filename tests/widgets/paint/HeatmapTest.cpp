#include "tests/widgets/SyntheticModel.h"
#include "widgets/paint/HeatmapImage.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/PanelGrid.h"

#include <gtest/gtest.h>

#include <limits>

namespace softscope {
namespace {

AttentionValues valuesOf(TokenGrid grid, std::initializer_list<float> numbers) {
  AttentionValues values;
  values.grid = grid;
  values.onPicture = true;
  values.patches = Eigen::Map<const Vector>(numbers.begin(), Eigen::Index(numbers.size()));
  return values;
}

QRgb colorOf(const ColorMap& map, int index) {
  const ColorMap::Color& color = map.colors[std::size_t(index)];
  return qRgb(color[0], color[1], color[2]);
}

TEST(Heatmap, NearestPaintsEveryPatchFlat) {
  const ViewSettings view;
  const AttentionValues values = valuesOf({1, 2}, {0.f, 1.f});
  const ValueRange range = valueRanges({values}, view).front();
  const HeatmapStyle style = heatmapStyle(view, range);
  const QImage image = heatmapImage(values, range, style, {10, 4}, {});
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 10; ++x) {
      EXPECT_EQ(image.pixel(x, y), colorOf(*style.colors, x < 5 ? 0 : 255)) << x << ", " << y;
    }
  }
}

TEST(Heatmap, ValuesFarOutsideTheRangeHaveItsEndsColours) {
  const ViewSettings view;
  const AttentionValues values = valuesOf({1, 4}, {-1.f, 1.f, -1e30f, 1e30f});
  const ValueRange range = valueRanges({valuesOf({1, 2}, {0.f, 1e-7f})}, view).front();
  const HeatmapStyle style = heatmapStyle(view, range);
  const QImage image = heatmapImage(values, range, style, {4, 1}, {});
  for (int x = 0; x < 4; ++x) {
    EXPECT_EQ(image.pixel(x, 0), colorOf(*style.colors, x % 2 == 0 ? 0 : 255)) << x;
  }
}

TEST(Heatmap, SmoothMeetsTheValuesAtPatchCentres) {
  ViewSettings view;
  view.smooth = true;
  const AttentionValues values = valuesOf({1, 2}, {0.f, 1.f});
  const ValueRange range = valueRanges({values}, view).front();
  const HeatmapStyle style = heatmapStyle(view, range);
  const QImage image = heatmapImage(values, range, style, {101, 1}, {});
  EXPECT_EQ(image.pixel(0, 0), colorOf(*style.colors, 0));
  EXPECT_EQ(image.pixel(50, 0), colorOf(*style.colors, 128));
  EXPECT_EQ(image.pixel(100, 0), colorOf(*style.colors, 255));
}

TEST(Heatmap, OpacityFollowsTheValueWhereItIsAsked) {
  ViewSettings view;
  view.opacity = 0.5;
  view.fades = true;
  const AttentionValues values = valuesOf({1, 3}, {0.f, 0.5f, 1.f});
  QImage grey(3, 1, QImage::Format_Grayscale8);
  grey.fill(100);
  const ValueRange range{0, 1, false, false};
  const HeatmapStyle style = heatmapStyle(view, range);
  const QImage image = heatmapImage(values, range, style, {3, 1}, grey);
  EXPECT_NEAR(qGreen(image.pixel(0, 0)), 100, 1) << "nothing lies over the picture";
  const auto over = [&](int index, double opacity) {
    return opacity * style.colors->colors[std::size_t(index)][1] + (1 - opacity) * 100;
  };
  EXPECT_NEAR(qGreen(image.pixel(1, 0)), over(128, 0.25), 1);
  EXPECT_NEAR(qGreen(image.pixel(2, 0)), over(255, 0.5), 1);
  const ValueRange centred{-1, 1, true, false};
  const HeatmapStyle diverging = heatmapStyle(view, centred);
  const AttentionValues zero = valuesOf({1, 1}, {0.f});
  QImage one(1, 1, QImage::Format_Grayscale8);
  one.fill(100);
  EXPECT_NEAR(qRed(heatmapImage(zero, centred, diverging, {1, 1}, one).pixel(0, 0)), 100, 1);
}

TEST(Heatmap, OpacityMixesWithThePicture) {
  ViewSettings view;
  view.opacity = 0.5;
  const AttentionValues values = valuesOf({1, 1}, {1.f});
  const ValueRange range{0, 1, false, false};
  const HeatmapStyle style = heatmapStyle(view, range);
  QImage grey(1, 1, QImage::Format_Grayscale8);
  grey.fill(100);
  const QRgb pixel = heatmapImage(values, range, style, {1, 1}, grey).pixel(0, 0);
  EXPECT_NEAR(qRed(pixel), (style.colors->colors[255][0] + 100) / 2, 1);
  EXPECT_NEAR(qBlue(pixel), (style.colors->colors[255][2] + 100) / 2, 1);
}

TEST(Heatmap, SignedValuesAreCentredAtZero) {
  const ViewSettings view;
  const AttentionValues values = valuesOf({1, 3}, {-1.f, 0.f, 4.f});
  const ValueRange range = valueRanges({values}, view).front();
  EXPECT_TRUE(range.centred);
  EXPECT_FLOAT_EQ(range.low, -4);
  EXPECT_FLOAT_EQ(range.high, 4);
  EXPECT_TRUE(heatmapStyle(view, range).colors->diverging);
}

TEST(Heatmap, RoundingBelowZeroIsNotASign) {
  const AttentionValues values = valuesOf({1, 2}, {-1e-7f, 0.5f});
  EXPECT_FALSE(valueRanges({values}, ViewSettings{}).front().centred);
}

TEST(Heatmap, MagnitudesAreNotCentred) {
  ViewSettings view;
  view.absolute = true;
  const ValueRange range = valueRanges({valuesOf({1, 2}, {-3.f, 1.f})}, view).front();
  EXPECT_FALSE(range.centred);
  EXPECT_FLOAT_EQ(range.low, 1);
  EXPECT_FLOAT_EQ(range.high, 3);
}

TEST(Heatmap, AHeadBesideSignedOnesHasTheirColours) {
  AttentionValues values = valuesOf({1, 2}, {1.f, 3.f});
  EXPECT_FALSE(valueRanges({values}, {}).front().centred);
  values.isBesideSigned = true;
  const ValueRange range = valueRanges({values}, {}).front();
  EXPECT_TRUE(range.centred);
  EXPECT_FLOAT_EQ(range.low, -3);
  ViewSettings magnitudes;
  magnitudes.absolute = true;
  EXPECT_FALSE(valueRanges({values}, magnitudes).front().centred);
}

TEST(Heatmap, SharedRangesAreOneRange) {
  ViewSettings view;
  view.normalisation = ViewSettings::Normalisation::Shared;
  const auto ranges =
      valueRanges({valuesOf({1, 2}, {0.1f, 0.2f}), valuesOf({1, 2}, {0.4f, 0.9f})}, view);
  for (const ValueRange& range : ranges) {
    EXPECT_FLOAT_EQ(range.low, 0.1f);
    EXPECT_FLOAT_EQ(range.high, 0.9f);
  }
}

TEST(Heatmap, PercentilesCutOutliersAndSaySo) {
  ViewSettings view;
  view.normalisation = ViewSettings::Normalisation::Percentile;
  AttentionValues values = valuesOf({1, 1}, {0});
  values.grid = {1, 1000};
  values.patches = Vector::LinSpaced(1000, 0, 1);
  values.patches[500] = 50;
  const ValueRange range = valueRanges({values}, view).front();
  EXPECT_NEAR(range.low, 0.01, 0.002);
  EXPECT_NEAR(range.high, 0.99, 0.002);
  EXPECT_TRUE(range.clipped);
}

TEST(ValueText, ReadsLikePrint) {
  EXPECT_EQ(valueText(0.01324), QStringLiteral("0.0132"));
  EXPECT_EQ(valueText(-0.5), QStringLiteral("−0.500"));
  EXPECT_EQ(valueText(0.000123), QStringLiteral("1.23×10⁻⁴"));
  EXPECT_EQ(valueText(12.3456), QStringLiteral("12.3"));
  EXPECT_EQ(valueText(0), QStringLiteral("0"));
}

TEST(GridArrangement, FillsTheRoomOrScrolls) {
  for (int count = 1; count <= 25; ++count) {
    const GridArrangement grid = arrangeGrid(count, {900, 700}, 1.0, 40, 10, 100);
    const int lines = (count + grid.columns - 1) / grid.columns;
    EXPECT_LE(grid.columns * grid.width + (grid.columns - 1) * 10, 900) << count;
    EXPECT_LE(lines * grid.height + (lines - 1) * 10, 700) << count;
    EXPECT_GE(grid.width, 100) << count;
  }
  // One row has hardly larger images, and leaves half of the room empty.
  EXPECT_EQ(arrangeGrid(3, {1155, 830}, 1.0, 45, 14, 100).columns, 2);
  EXPECT_EQ(arrangeGrid(3, {1155, 420}, 1.0, 45, 14, 100).columns, 3);
  const GridArrangement scrolled = arrangeGrid(25, {330, 300}, 1.0, 40, 10, 100);
  EXPECT_EQ(scrolled.columns, 3);
  EXPECT_GE(scrolled.width, 100);
}

TEST(Heatmap, WhatIsNotFiniteHasNoColour) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  QImage grey(3, 1, QImage::Format_Grayscale8);
  grey.fill(100);
  for (const auto normalisation :
       {ViewSettings::Normalisation::Shared, ViewSettings::Normalisation::Percentile}) {
    ViewSettings view;
    view.normalisation = normalisation;
    view.opacity = 1;
    const AttentionValues flat = valuesOf({1, 3}, {2.f, none, -infinite});
    const ValueRange range = valueRanges({flat}, view).front();
    EXPECT_FALSE(range.isEmpty);
    EXPECT_FLOAT_EQ(range.low, 2);
    EXPECT_FLOAT_EQ(range.high, 2);
    const QImage image = heatmapImage(flat, range, heatmapStyle(view, range), {3, 1}, grey);
    EXPECT_NE(image.pixel(0, 0), qRgb(100, 100, 100));
    EXPECT_EQ(image.pixel(1, 0), qRgb(100, 100, 100)) << "the picture";
    EXPECT_EQ(image.pixel(2, 0), qRgb(100, 100, 100));
    const AttentionValues lacking = valuesOf({1, 3}, {none, infinite, none});
    const ValueRange empty = valueRanges({lacking}, view).front();
    EXPECT_TRUE(empty.isEmpty);
    EXPECT_FALSE(empty.clipped);
    EXPECT_EQ(heatmapImage(lacking, empty, heatmapStyle(view, empty), {3, 1}, grey).pixel(0, 0),
              qRgb(100, 100, 100));
  }
}

TEST(Heatmap, AHeadWithoutFiniteValuesLeavesASharedRangeAsItIs) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  ViewSettings view;
  view.normalisation = ViewSettings::Normalisation::Shared;
  const auto ranges =
      valueRanges({valuesOf({1, 2}, {none, none}), valuesOf({1, 2}, {0.4f, 0.9f})}, view);
  EXPECT_FLOAT_EQ(ranges[1].low, 0.4f) << "and not 0";
  EXPECT_FALSE(ranges[1].centred);
}

}  // namespace
}  // namespace softscope
