#include "core/image/ColorMap.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/LayerHeadPainter.h"
#include "widgets/paint/PanelText.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

/// Every pixel differs from its neighbours.
QImage testPicture(int width, int height) {
  QImage image(width, height, QImage::Format_RGB32);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.setPixel(x, y, qRgb(x % 256, y % 256, (3 * x + y) % 256));
  }
  return image;
}

HeadPanel testPanel() {
  HeadPanel panel;
  const auto map = test::syntheticMap(test::gridAttention(1, 8, 8));
  panel.values = attentionValues(*map, 0, 5, Direction::Rows);
  panel.range = valueRanges({panel.values}, {}).front();
  panel.heat = heatmapStyle({}, panel.range);
  panel.colorBar = false;
  return panel;
}

QImage drawn(const HeadPanel& panel, const CroppedPicture& picture, QSize size) {
  QImage image(size, QImage::Format_RGB32);
  QPainter painter(&image);
  HeadPanelLayout parts;
  parts.image = QRectF(QPointF(0, 0), QSizeF(size));
  paintHeadPanel(painter, parts, panel, picture, printStyle({}));
  return image;
}

TEST(HeadPanel, VisiblePartIsThatPartOfTheWhole) {
  HeadPanel panel = testPanel();
  const CroppedPicture none;
  const QImage whole = drawn(panel, none, {256, 256});
  panel.visible = QRectF(0.25, 0.5, 0.5, 0.25);
  const QImage part = drawn(panel, none, {128, 64});
  EXPECT_EQ(part, whole.copy(64, 128, 128, 64));
}

TEST(HeadPanel, VisiblePartOfASmoothMapLiesOnTheWholeOnesGrid) {
  HeadPanel panel = testPanel();
  panel.heat.smooth = true;
  const CroppedPicture none;
  const QImage whole = drawn(panel, none, {256, 256});
  panel.visible = QRectF(0.5, 0.25, 0.25, 0.5);
  EXPECT_EQ(drawn(panel, none, {64, 128}), whole.copy(128, 64, 64, 128));
}

TEST(HeadPanel, ANoteIsShortenedByWordsBeforeItIsCut) {
  const QFontMetricsF metrics(printStyle({}).small);
  const auto shown = [&](const char* note, const char* room) {
    const double width = metrics.horizontalAdvance(QString::fromUtf8(room)) + 0.5;
    return fittingNote(QString::fromUtf8(note), width, metrics).toStdString();
  };
  EXPECT_EQ(shown("largest 17 × uniform · class 0.2", "largest 17 × uniform · class 0.2"),
            "largest 17 × uniform · class 0.2");
  EXPECT_EQ(shown("largest 17 × uniform · class 0.2", "largest 17 × uniform"),
            "largest 17 × uniform");
  EXPECT_EQ(shown("largest 17 × uniform", "17 × uniform"), "17 × uniform");
  // Never the number alone, which would not say of what it is.
  EXPECT_EQ(shown("largest 17 × uniform", "17 × unifor"), "17 × 1/n");
  EXPECT_EQ(shown("largest 17 × uniform", "17 × 1/"), "");
  EXPECT_EQ(shown("largest 2.4 × the mean", "2.4 × the"), "");
  EXPECT_EQ(shown("largest 17 × uniform", "17 ×"), "");
  EXPECT_EQ(shown("nearly uniform, within 3 %", "nearly uniform, w"), "nearly uniform");
  EXPECT_EQ(shown("same pattern for every query", "same pattern f"), "same pattern");
  EXPECT_EQ(shown("196 channels", "19"), "");
}

TEST(HeadPanel, WithoutValuesItIsThePicture) {
  const QImage source = testPicture(120, 80);
  const CroppedPicture picture(source, {20, 10, 64, 64});
  HeadPanel panel;
  panel.colorBar = false;
  EXPECT_EQ(drawn(panel, picture, {64, 64}), source.copy(20, 10, 64, 64));
  panel.visible = QRectF(0.25, 0.5, 0.5, 0.25);
  EXPECT_EQ(drawn(panel, picture, {32, 16}), source.copy(36, 42, 32, 16));
}

TEST(HeadPanel, AQueryOutsideTheVisiblePartHasNoMark) {
  HeadPanel panel = testPanel();
  const CroppedPicture none;
  panel.visible = QRectF(0, 0, 0.5, 0.5);
  const QImage plain = drawn(panel, none, {100, 100});
  panel.query = QueryMark{{0.8, 0.2}};
  EXPECT_EQ(drawn(panel, none, {100, 100}), plain);
  panel.query = QueryMark{{0.25, 0.25}, QColor(0x00ff00)};
  const QImage marked = drawn(panel, none, {100, 100});
  EXPECT_EQ(marked.pixelColor(50, 50), QColor(0x00ff00)) << "in its colour, where it lies";
  EXPECT_EQ(marked.pixelColor(5, 5), plain.pixelColor(5, 5));
}

TEST(HeadPanel, ChannelsAreShownWholeAndUnmarked) {
  HeadPanel panel = testPanel();
  panel.values.onPicture = false;
  panel.values.grid = {1, 64};
  const CroppedPicture none;
  const QImage whole = drawn(panel, none, {128, 32});
  panel.visible = QRectF(0.5, 0.5, 0.1, 0.1);
  panel.query = QueryMark{{0.55, 0.55}};
  EXPECT_EQ(drawn(panel, none, {128, 32}), whole);
}

TEST(HeadPanel, ChannelsSayWhichWayTheyAreRead) {
  AttentionDescription channels;
  channels.mechanism = "xca_channel";
  channels.heads = 2;
  channels.queries = channels.keys = 5;
  const AttentionValues head =
      attentionValues(*test::syntheticMap(channels), 1, 0, Direction::Rows);
  EXPECT_EQ(panelNote(channels, head, Direction::Rows), QStringLiteral("queries ↓ keys →"));
}

TEST(CroppedPicture, PartsOfAnEnlargedPictureMeet) {
  const CroppedPicture picture(testPicture(60, 60), {0, 0, 60, 60});
  const QImage whole = picture.colored({480, 480});
  const QImage part = picture.colored({240, 240}, QRectF(0.25, 0.25, 0.5, 0.5));
  for (const QPoint at : {QPoint(3, 3), QPoint(120, 77), QPoint(236, 236)}) {
    const QColor one = whole.pixelColor(at + QPoint(120, 120));
    const QColor other = part.pixelColor(at);
    EXPECT_NEAR(one.red(), other.red(), 1);
    EXPECT_NEAR(one.green(), other.green(), 1);
  }
}

TEST(HeadPanel, ANoteIsNotCutInOrBeforeANumber) {
  const QFontMetricsF metrics(printStyle({}).small);
  const auto shown = [&](const char* note, const char* room) {
    const double width = metrics.horizontalAdvance(QString::fromUtf8(room)) + 0.5;
    return fittingNote(QString::fromUtf8(note), width, metrics).toStdString();
  };
  EXPECT_EQ(shown("falls in 13 of 17 heads", "falls in 13 of 17 h"), "");
  EXPECT_EQ(shown("20 %: 0.371", "20 %: 0.3…"), "");
  EXPECT_EQ(shown("tabby cat 87.3 %", "tabby… 87.3 %"), "tabby… 87.3 %");
  EXPECT_EQ(shown("tabby cat 87.3 %", "87.3 %"), "");
  EXPECT_EQ(shown("line 0.37, centred 0.48", "line 0.37, centred 0"), "line 0.37");
  EXPECT_EQ(shown("3 of 196 values not finite", "not finite"), "not finite");
  EXPECT_TRUE(
      QString::fromStdString(shown("the smaller the area, the better", "the smaller the area, the"))
          .endsWith(u'…'))
      << "words are";
}

TEST(HeadPanel, SaysHowManyValuesAreNotFinite) {
  const AttentionDescription attention = test::gridAttention(1, 8, 8);
  AttentionValues values = testPanel().values;
  values.patches[5] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(panelNote(attention, values, Direction::Rows),
            QStringLiteral("1 of 64 values not finite"));
}

TEST(HeadPanel, WithoutFiniteValuesItHasNoColourBar) {
  const auto drawnBar = [](const ValueRange& range) {
    QImage image(200, 40, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    const FigureStyle style = printStyle({});
    paintColorBar(painter, QRectF(0, 0, 200, 40), range, colorMap("viridis"), style);
    painter.end();
    int colored = 0;
    for (int x = 0; x < image.width(); ++x) {
      const QColor color = image.pixelColor(x, 0);
      colored += std::abs(color.red() - color.blue()) > 40 ? 1 : 0;
    }
    return colored;
  };
  EXPECT_GT(drawnBar({0, 1}), 100);
  EXPECT_EQ(drawnBar({.low = 0, .high = 0, .isEmpty = true}), 0);
}

TEST(LayerHeadMaps, StrikeThroughWhatIsNotFinite) {
  LayerHeadMap map;
  map.layers = {"layer"};
  map.values = {{1.0, 2.0, std::nullopt}};
  map.range = {1, 2};
  map.colors = &colorMap("viridis");
  const auto drawnMap = [&] {
    QImage image(600, 200, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    const FigureStyle style = printStyle({});
    const LayerHeadLayout layout = layoutLayerHeadMap(QRectF(0, 0, 600, 200), map, style);
    paintLayerHeadMap(painter, layout, map, style, std::nullopt);
    return image;
  };
  const QImage undefined = drawnMap();
  for (const double value : {std::nan(""), HUGE_VAL}) {
    map.values[0][2] = value;
    EXPECT_EQ(drawnMap(), undefined) << value;
  }
}

TEST(ColorBar, ItsNumbersStandApart) {
  const FigureStyle style = printStyle({});
  const QFontMetricsF metrics(style.small);
  // In less room the letters shrink, and the gap with them.
  for (int width = 180; width <= 260; width += 5) {
    QImage image(width, 40, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintColorBar(painter, QRectF(0, 0, width, 40), {-2e-4F, 2e-4F}, colorMap("viridis"), style);
    painter.end();
    int widest = 0;
    int blank = 0;
    for (int x = 0; x < width; ++x) {
      bool isBlank = true;
      for (int y = static_cast<int>(style.barHeight + 2); y < 40; ++y) {
        isBlank = isBlank && qGray(image.pixel(x, y)) > 250;
      }
      blank = isBlank ? blank + 1 : 0;
      widest = std::max(widest, blank);
    }
    const double digit = metrics.horizontalAdvance(QStringLiteral("0"));
    EXPECT_GE(widest, 0.6 * digit) << width;
  }
}

}  // namespace
}  // namespace softscope
