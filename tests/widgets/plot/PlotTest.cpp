#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/Theme.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/plot/LegendView.h"
#include "widgets/plot/NearestPoint.h"
#include "widgets/plot/Plot.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotCanvas.h"
#include "widgets/plot/PlotPainter.h"
#include "widgets/plot/PlotRange.h"
#include "widgets/plot/PlotView.h"
#include "widgets/plot/QCustomPlotHeader.h"

#include <QtCore/QLocale>
#include <QtCore/QSet>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtTest/qtestspontaneevent.h>
#include <QtWidgets/QApplication>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace softscope {
namespace {

PlotCurve curve(const QString& name, std::vector<double> x, std::vector<double> y) {
  PlotCurve made;
  made.name = made.group = name;
  made.color = Qt::red;
  made.x = std::move(x);
  made.y = std::move(y);
  return made;
}

TEST(PlotRange, HoldsEveryPointWithALittleAir) {
  Plot plot;
  plot.curves = {curve("a", {1, 3}, {-2, 6}), curve("b", {0, 5}, {1, NAN})};
  const PlotRange range = rangeOf(plot);
  EXPECT_NEAR(range.x.first, -0.06, 1e-12) << "the last point of b is not drawn, nor does it count";
  EXPECT_NEAR(range.x.second, 3.06, 1e-12);
  EXPECT_NEAR(range.y.first, -2.4, 1e-12);
  EXPECT_NEAR(range.y.second, 6.4, 1e-12);
}

TEST(PlotRange, LogarithmicAxesLeaveOutWhatIsNotPositive) {
  Plot plot;
  plot.y.logarithmic = true;
  plot.curves = {curve("a", {1, 2, 3, 4}, {0, -1, 1e-4, 1e4})};
  const PlotRange range = rangeOf(plot);
  EXPECT_NEAR(std::log10(range.y.first), -4.4, 1e-9);
  EXPECT_NEAR(std::log10(range.y.second), 4.4, 1e-9);
  EXPECT_GT(range.x.first, 2.9);
}

TEST(PlotRange, LevelsCountUnlessTheyPressTheCurvesTogether) {
  Plot plot;
  plot.curves = {curve("a", {0, 1}, {0, 1})};
  plot.levels = {{Qt::Horizontal, 1.5, {}}};
  EXPECT_GT(rangeOf(plot).y.second, 1.5);
  plot.levels = {{Qt::Horizontal, 3136, {}}};
  EXPECT_LT(rangeOf(plot).y.second, 1.1);
  plot.y.logarithmic = true;
  EXPECT_GT(rangeOf(plot).y.second, 3136);
}

TEST(PlotRange, HoldsBands) {
  Plot plot;
  plot.curves = {curve("a", {0, 1}, {0, 1})};
  plot.bands = {{Qt::red, {0, 2}, {-1, 0}, {1, 3}}};
  const PlotRange range = rangeOf(plot);
  EXPECT_NEAR(range.x.second, 2.04, 1e-12);
  EXPECT_NEAR(range.y.first, -1.2, 1e-12);
  EXPECT_NEAR(range.y.second, 3.2, 1e-12);
}

TEST(PlotBand, IsPaleBetweenItsLines) {
  Plot plot;
  plot.x.range = {0, 1};
  plot.y.range = {0, 1};
  plot.bands = {{Qt::blue, {0, 1}, {0.25, 0.25}, {0.75, 0.75}}};
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  paintPlot(painter, QRectF(0, 0, 400, 300), plot, printStyle(FigureSettings()));
  painter.end();
  int pale = 0;
  int blue = 0;
  for (int y = 0; y < 300; ++y) {
    const QColor color = image.pixelColor(233, y);
    pale += color.blue() > 250 && color.red() > 150 && color.red() < 220;
    blue += color.red() < 100 && color.blue() > 250;
  }
  EXPECT_NEAR(pale, 130, 25) << "half of the axes' height";
  EXPECT_EQ(blue, 0) << "it has no border";
}

TEST(PlotRange, HoldsBoxesReachesAndBars) {
  Plot plot;
  PlotBox box;
  box.x = 2;
  box.width = 1;
  box.low = -3;
  box.high = 7;
  plot.boxes = {box};
  plot.curves = {curve("a", {0}, {5})};
  plot.curves[0].reach = {15};
  const PlotRange range = rangeOf(plot);
  EXPECT_NEAR(range.x.second, 2.5 + 0.02 * 2.5, 1e-12);
  EXPECT_NEAR(range.y.first, -10 - 0.05 * 30, 1e-12);
  EXPECT_NEAR(range.y.second, 20 + 0.05 * 30, 1e-12);
  Plot bars;
  bars.curves = {curve("b", {1, 3}, {4, 2})};
  bars.curves[0].line = PlotCurve::Line::Bars;
  bars.curves[0].barWidth = 2;
  EXPECT_LT(rangeOf(bars).x.first, 0);
  EXPECT_GT(rangeOf(bars).x.second, 4);
  EXPECT_EQ(rangeOf(bars).y.first, 0) << "where bars begin";
  bars.curves[0].y[1] = -2;
  EXPECT_LT(rangeOf(bars).y.first, -2);
}

TEST(NearestPoint, IsTheBarBelowThePointer) {
  Plot plot;
  plot.curves = {curve("b", {1, 3}, {4, 2})};
  plot.curves[0].line = PlotCurve::Line::Bars;
  plot.curves[0].barWidth = 2;
  const auto place = [](double x, double y) { return QPointF(100 * x, 100 * y); };
  EXPECT_EQ(nearestPoint(plot, {210, 50}, 14, place)->index, 1u);
  EXPECT_EQ(nearestPoint(plot, {10, 900}, 14, place)->index, 0u) << "anywhere above it";
  EXPECT_FALSE(nearestPoint(plot, {500, 50}, 14, place));
}

TEST(Legend, HasTheGroupsOfBoxes) {
  Plot plot;
  PlotBox box;
  box.group = QStringLiteral("cat");
  box.color = Qt::red;
  plot.boxes = {box, box};
  const std::vector<LegendEntry> legend = legendOf({plot});
  ASSERT_EQ(legend.size(), 1u);
  EXPECT_EQ(legend[0].line, PlotCurve::Line::Bars);
}

TEST(PlotRange, AnEmptyPlotStillHasAxes) {
  Plot plot;
  plot.y.logarithmic = true;
  const PlotRange range = rangeOf(plot);
  EXPECT_LT(range.x.first, range.x.second);
  EXPECT_GT(range.y.first, 0);
  EXPECT_LT(range.y.first, range.y.second);
}

QVector<double> ticksOf(OneTwoFiveTicker& ticker, const QCPRange& range) {
  QVector<double> ticks;
  ticker.generate(range, QLocale::c(), 'g', 4, ticks, nullptr, nullptr);
  return ticks;
}

TEST(OneTwoFiveTicker, StandsEvenlyWithinADecadeOrTwo) {
  OneTwoFiveTicker ticker;
  EXPECT_EQ(ticksOf(ticker, {14, 280}), (QVector<double>{20, 50, 100, 200}));
  EXPECT_EQ(ticksOf(ticker, {0.3, 6}), (QVector<double>{0.5, 1, 2, 5}));
  EXPECT_EQ(ticksOf(ticker, {0.5, 2e4}), (QVector<double>{1, 10, 100, 1000, 10000}));
  EXPECT_GE(ticksOf(ticker, {60, 90}).size(), 3) << "of a range between two and five, multiples";
}

TEST(NearestPoint, IsTheClosestOfAllCurvesWithinReach) {
  Plot plot;
  plot.curves = {curve("a", {0, 10}, {0, 0}), curve("b", {0, 10, 10}, {5, 5, NAN})};
  const auto toPlace = [](double x, double y) { return QPointF(10 * x, 10 * y); };
  const auto found = nearestPoint(plot, {98, 47}, 14, toPlace);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->curve, 1);
  EXPECT_EQ(found->index, 1u);
  EXPECT_FALSE(nearestPoint(plot, {50, 25}, 14, toPlace));
}

TEST(Legend, HasEveryGroupOnce) {
  Plot plot;
  plot.curves = {curve("a", {}, {}), curve("b", {}, {}), curve("a", {}, {}), curve("", {}, {})};
  const std::vector<LegendEntry> entries = legendOf({plot, plot});
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, QStringLiteral("a"));
  EXPECT_EQ(entries[1].name, QStringLiteral("b"));
}

TEST(Legend, LeavesOutWhatIsWrittenBesideTheCurves) {
  Plot plot;
  plot.curves = {curve("soft, layer 0", {0}, {1}), curve("soft, layer 0", {0}, {2}),
                 curve("soft, layer 1", {0}, {3}), curve("negative", {0}, {4})};
  for (const std::size_t i : {0u, 2u}) {
    plot.curves[i].label = QStringLiteral("a layer");
    plot.curves[i].kin = {QStringLiteral("soft"), Qt::blue};
  }
  const std::vector<LegendEntry> entries = legendBesideLabels({plot});
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "soft");
  EXPECT_EQ(entries[0].color, QColor(Qt::blue));
  EXPECT_EQ(entries[1].name, "negative");
  EXPECT_EQ(legendOf({plot}).size(), 3u);
}

TEST(CurveColors, AreAllDifferent) {
  for (const int count : {0, 1, 8, 9, 30}) {
    std::set<QRgb> different;
    for (const QColor& color : curveColors(count)) different.insert(color.rgb());
    EXPECT_EQ(different.size(), static_cast<std::size_t>(count));
  }
}

/// Turns the wheel over what the view draws into.
void turnWheel(PlotView& view, int angle) {
  QWidget* const canvas = view.childAt(view.rect().center());
  const QPointF middle = canvas->rect().center();
  QWheelEvent wheel(middle, canvas->mapToGlobal(middle), {}, {0, angle}, Qt::NoButton,
                    Qt::NoModifier, Qt::NoScrollPhase, false);
  // Only what seems to come from outside goes on to the widgets around.
  QSpontaneKeyEvent::setSpontaneous(&wheel);
  qApp->notify(canvas, &wheel);
}

QImage plotImageOf(PlotView& view) {
  QCoreApplication::processEvents();
  return view.grab().toImage();
}

TEST(PlotView, StaysZoomedWhenItIsGivenTheSamePlotAgain) {
  Plot plot;
  const double gap = std::numeric_limits<double>::quiet_NaN();
  plot.curves = {curve("a", {0, 1, 2, 3, 4}, {0, 1, gap, 4, 9})};
  PlotView view;
  view.resize(400, 300);
  view.setPlot(plot);
  view.show();
  const QImage whole = plotImageOf(view);
  turnWheel(view, 240);
  const QImage closer = plotImageOf(view);
  ASSERT_NE(closer, whole);
  view.setPlot(plot);
  EXPECT_EQ(plotImageOf(view), closer);

  Plot other = plot;
  other.curves[0].y[4] = 9.5;
  view.setPlot(other);
  view.setPlot(plot);
  EXPECT_EQ(plotImageOf(view), whole) << "another plot is shown in full";
}

/// Returns how many pixels of a view have that colour, red or blue, rather than a pale one; lines
/// are smoothed at their edges.
int pixelsOf(PlotView& view, const QColor& color) {
  const QImage image = plotImageOf(view).convertToFormat(QImage::Format_RGB32);
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor seen = image.pixelColor(x, y);
      const int redness = seen.red() - seen.blue();
      count += (color == Qt::red ? redness : -redness) > 100 ? 1 : 0;
    }
  }
  return count;
}

/// Moves over a view until what is told begins like that; returns false if it never does.
bool moveWhereToldOf(PlotView& view, const QString& beginning) {
  QString told;
  const auto connection =
      QObject::connect(&view, &PlotView::hovered, [&told](const QString& text) { told = text; });
  QWidget* const canvas = view.childAt(view.rect().center());
  bool found = false;
  for (int y = 4; y < canvas->height() && !found; y += 6) {
    for (int x = 4; x < canvas->width() && !found; x += 6) {
      QTest::mouseMove(canvas, QPoint(x, y));
      found = told.startsWith(beginning);
    }
  }
  QObject::disconnect(connection);
  return found;
}

TEST(PlotBoard, BringsOutTheHeadUnderThePointerInAllPlots) {
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 0, 0, 0}), curve("b", {0, 1, 2, 3}, {9, 9, 9, 9})};
  plot.curves[0].places = {{"m", "l", 0}};
  plot.curves[1].places = {{"m", "l", 1}};
  plot.curves[1].color = Qt::blue;
  PlotBoard board;
  board.setPlots({plot, plot});
  board.resize(900, 320);
  board.show();
  const int red = pixelsOf(board.plot(0), Qt::red);
  const int blue = pixelsOf(board.plot(1), Qt::blue);
  ASSERT_GT(red, 50);
  ASSERT_GT(blue, 50);
  ASSERT_TRUE(moveWhereToldOf(board.plot(0), QStringLiteral("a: ")));
  EXPECT_GE(pixelsOf(board.plot(0), Qt::red), red);
  EXPECT_EQ(pixelsOf(board.plot(0), Qt::blue), 0);
  EXPECT_EQ(pixelsOf(board.plot(1), Qt::blue), 0) << "the other plot's line of the other head";
  EXPECT_GT(pixelsOf(board.plot(1), Qt::red), 50);

  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(board.plot(0).childAt(board.plot(0).rect().center()), &leave);
  EXPECT_EQ(pixelsOf(board.plot(1), Qt::blue), blue);
  EXPECT_EQ(pixelsOf(board.plot(0), Qt::red), red);
}

TEST(PlotBoard, BandsPaleWithTheirCurves) {
  Plot plot;
  plot.y.range = {0, 1};
  plot.curves = {curve("a", {0, 1}, {0, 0}), curve("b", {0, 1}, {0.9, 0.9})};
  plot.curves[0].places = {{"m", "l", 0}};
  plot.curves[1].places = {{"m", "l", 1}};
  plot.curves[1].color = Qt::blue;
  plot.bands = {{Qt::blue, {0, 1}, {0.3, 0.3}, {0.7, 0.7}}};
  PlotBoard board;
  board.setPlots({plot});
  board.resize(500, 360);
  board.show();
  const auto blueness = [&] {
    QCoreApplication::processEvents();
    const QImage image = board.plot(0).grab().toImage();
    const QColor color = image.pixelColor(image.width() / 2 + 7, image.height() / 2 - 9);
    return color.blue() - color.red();
  };
  const int before = blueness();
  ASSERT_GT(before, 20);
  ASSERT_TRUE(moveWhereToldOf(board.plot(0), QStringLiteral("a: ")));
  EXPECT_LT(blueness(), before / 2);
  ASSERT_TRUE(moveWhereToldOf(board.plot(0), QStringLiteral("b: ")));
  EXPECT_EQ(blueness(), before);
}

TEST(PlotBoard, BringsOutTheEntryOfItsLegendUnderThePointer) {
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 0, 0, 0}), curve("b", {0, 1, 2, 3}, {9, 9, 9, 9})};
  plot.curves[1].color = Qt::blue;
  PlotBoard board;
  board.setPlots({plot});
  board.resize(500, 360);
  board.show();
  const int blue = pixelsOf(board.plot(0), Qt::blue);
  auto* legend = board.findChild<LegendView*>();
  QTest::mouseMove(legend, QPoint(30, legend->height() / 3));
  EXPECT_EQ(pixelsOf(board.plot(0), Qt::blue), 0);
  EXPECT_GT(pixelsOf(board.plot(0), Qt::red), 50);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(legend, &leave);
  EXPECT_EQ(pixelsOf(board.plot(0), Qt::blue), blue);
}

TEST(PlotBoard, WritesLabelsBesideCurvesWhereAllHaveRoomAndElseALegend) {
  Plot plot;
  for (int i = 0; i < 12; ++i) {
    plot.curves.push_back(curve(QStringLiteral("layer %1").arg(i), {0, 1}, {0, 1.0 * i}));
    plot.curves.back().label = QStringLiteral("L%1").arg(i);
    plot.curves.back().places = {{"m", "l", i}};
  }
  plot.curves[11].color = Qt::blue;
  PlotBoard board;
  board.setPlots({plot});
  board.resize(500, 420);
  board.show();
  QCoreApplication::processEvents();
  const auto& legend = *board.findChild<LegendView*>();
  EXPECT_FALSE(legend.isVisible());
  const int blue = pixelsOf(board.plot(0), Qt::blue);
  board.resize(500, 200);
  QCoreApplication::processEvents();
  EXPECT_TRUE(legend.isVisible()) << "twelve labels are taller than the axes";

  board.resize(500, 420);
  QCoreApplication::processEvents();
  EXPECT_EQ(pixelsOf(board.plot(0), Qt::blue), blue);
  ASSERT_TRUE(moveWhereToldOf(board.plot(0), QStringLiteral("layer 0: ")));
  EXPECT_EQ(pixelsOf(board.plot(0), Qt::blue), 0) << "another's label pales with its curve";
}

TEST(PlotBoard, NamesModelsAloneWhereAnEntryOfEveryCurveWouldLeaveNoRoom) {
  Plot plot;
  for (int i = 0; i < 16; ++i) {
    const QString model = QStringLiteral("a model with a long name %1").arg(i % 2);
    plot.curves.push_back(
        curve(QStringLiteral("%1, layer %2").arg(model).arg(i), {0, 1}, {0, 1.0 * i}));
    plot.curves.back().label = QStringLiteral("L%1").arg(i);
    plot.curves.back().kin = {model, i % 2 == 0 ? Qt::blue : Qt::red};
  }
  PlotBoard board;
  board.setPlots({plot});
  board.resize(400, 260);
  board.show();
  QCoreApplication::processEvents();
  const auto& legend = *board.findChild<LegendView*>();
  ASSERT_TRUE(legend.isVisible());
  EXPECT_LT(legend.height(), 260 / 3);
  EXPECT_GT(board.plot(0).height(), 260 / 2);
}

TEST(PlotView, APointersLabelStandsForItsCurve) {
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 0, 0, 0}), curve("b", {0, 1, 2, 3}, {9, 9, 9, 9})};
  for (PlotCurve& each : plot.curves) each.label = QStringLiteral("its long label");
  PlotView view;
  view.resize(600, 300);
  view.setPlot(plot);
  view.setLabelled(true);
  view.show();
  plotImageOf(view);
  QString told;
  QObject::connect(&view, &PlotView::hovered, [&told](const QString& text) { told = text; });
  auto* const canvas = view.findChild<QCustomPlot*>();
  const double high = canvas->yAxis->coordToPixel(9);
  QTest::mouseMove(canvas, QPoint(canvas->width() - 40, static_cast<int>(high)));
  EXPECT_TRUE(told.startsWith(QStringLiteral("b: (3.000, "))) << told.toStdString();
}

TEST(PlotCanvas, AxesThatCountHaveWholeTicksApart) {
  for (const double last : {7.0, 12.0, 20.0, 26.0, 400.0, 1600.0}) {
    Plot plot;
    plot.x.counts = true;
    plot.curves = {curve("a", {0, last}, {0, 1})};
    QCustomPlot canvas;
    preparePlot(canvas, plot, FigureStyle(), false);
    canvas.resize(220, 200);
    canvas.replot();
    const QVector<double> ticks = canvas.xAxis->tickVector();
    ASSERT_GT(ticks.size(), 2) << last;
    EXPECT_LT(ticks.size(), 8) << last;
    for (const double tick : ticks) EXPECT_EQ(tick, std::round(tick)) << last;
  }
}

TEST(PlotBoard, ScrollsWhatDoesNotFitAndZoomsWhatDoes) {
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
  PlotBoard board;
  board.setPlots({plot, plot, plot});
  board.resize(1000, 300);
  board.show();
  QCoreApplication::processEvents();
  const auto* bar = board.findChild<QScrollArea*>()->verticalScrollBar();
  EXPECT_FALSE(bar->isVisible()) << "three plots side by side";
  QImage before = plotImageOf(board.plot(0));
  turnWheel(board.plot(0), 240);
  EXPECT_NE(plotImageOf(board.plot(0)), before);

  board.resize(320, 300);
  QCoreApplication::processEvents();
  EXPECT_LE(board.minimumSizeHint().height(), 200);
  ASSERT_TRUE(bar->isVisible()) << "three plots below each other";
  before = plotImageOf(board.plot(0));
  turnWheel(board.plot(0), -240);
  EXPECT_GT(bar->value(), 0);
  EXPECT_EQ(plotImageOf(board.plot(0)), before);
}

TEST(PlotBoard, ALastRowThatIsNotFullTakesTheWholeWidth) {
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
  PlotBoard board;
  board.setPlots({plot, plot, plot});
  board.resize(720, 600);
  board.show();
  QCoreApplication::processEvents();
  ASSERT_EQ(board.plot(0).y(), board.plot(1).y());
  ASSERT_GT(board.plot(2).y(), board.plot(0).y());
  EXPECT_EQ(board.plot(2).x(), board.plot(0).x());
  EXPECT_EQ(board.plot(2).geometry().right(), board.plot(1).geometry().right());
  EXPECT_NEAR(board.plot(0).width(), board.plot(1).width(), 1);
}

TEST(PlotBoard, StacksPlotsWhoseNamesNeedTheWidth) {
  PlotBoard board;
  board.resize(720, 600);
  board.show();
  const auto standSideBySide = [&board](std::size_t names) {
    Plot plot;
    plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
    plot.x.names.assign(names, QStringLiteral("block1.0"));
    board.setPlots({plot, plot});
    QCoreApplication::processEvents();
    return board.plot(0).y() == board.plot(1).y();
  };
  EXPECT_TRUE(standSideBySide(8));
  EXPECT_FALSE(standSideBySide(30));
}

TEST(PlotCanvas, TicksOfANarrowRangeReadApart) {
  for (const auto& [low, high] : {std::pair(0.99985, 1.0), {1000.0, 1000.01}, {-3e-7, 5e-7}}) {
    Plot plot;
    plot.curves = {curve("a", {0, 1}, {low, high})};
    QCustomPlot canvas;
    preparePlot(canvas, plot, FigureStyle(), false);
    canvas.resize(400, 300);
    canvas.replot();
    const QVector<QString> labels = canvas.yAxis->tickVectorLabels();
    ASSERT_GT(labels.size(), 2);
    EXPECT_EQ(QSet<QString>(labels.begin(), labels.end()).size(), labels.size()) << low;
  }
}

TEST(PlotBoard, KeepsRoomForEveryEntryOfItsLegend) {
  Plot plot;
  for (const char* name : {"two or three", "b", "c", "d"}) {
    plot.curves.push_back(curve(QString::fromLatin1(name), {0, 1}, {0, 1}));
  }
  PlotBoard board;
  const auto& legend = *board.findChild<LegendView*>();
  board.resize(700, 400);
  board.setPlots({plot});
  board.show();
  for (const int width : {700, 340, 240}) {
    board.resize(width, 400);
    QCoreApplication::processEvents();
    EXPECT_GE(legend.height(), legend.heightForWidth(legend.width())) << "at " << width;
  }
  EXPECT_GT(legend.height(), legend.heightForWidth(700)) << "it takes more lines when narrow";
}

TEST(PlotFigure, IsVectorsAndLettersInSvg) {
  Plot plot;
  plot.title = QStringLiteral("A plot");
  plot.x.label = QStringLiteral("rank of it");
  plot.curves = {curve("the first head", {1, 2, 3}, {1, 4, 9})};
  const PrintableFigure figure = printable(plotFigure({}, {plot, plot}));
  FigureSettings settings;
  settings.letters = true;
  const QByteArray svg = figureSvg(
      figure.size(settings), 100,
      [&](QPainter& painter, const QRectF& place) { figure.paint(painter, place, settings); });
  for (const char* text : {"rank of it", "(a) A plot", "(b) A plot", "the first head"}) {
    EXPECT_TRUE(svg.contains(text)) << text;
  }
  EXPECT_TRUE(svg.contains("<polyline") || svg.contains("<path"));
  EXPECT_FALSE(svg.contains("<image"));
}

TEST(PlotFigure, ALegendOfThirtyCurvesTakesRoomBelow) {
  Plot plot;
  std::vector<PlotCurve> curves;
  for (int i = 0; i < 30; ++i) {
    curves.push_back(curve(QStringLiteral("block%1.0.att.mha.attn").arg(i), {0, 1}, {0, 1.0 * i}));
  }
  plot.curves = {curves.front()};
  const FigureSettings settings;
  const QSizeF one = printable(plotFigure({}, {plot})).size(settings);
  plot.curves = curves;
  const QSizeF thirty = printable(plotFigure({}, {plot})).size(settings);
  EXPECT_EQ(one.width(), thirty.width());
  EXPECT_GT(thirty.height(), one.height() + 15);
}

TEST(PlotCanvas, DrawsBarsOfErrorsAtTheirOwnPoints) {
  Plot plot;
  plot.curves = {curve("a", {3, 1, 2}, {30, 10, 20})};
  plot.curves[0].reach = {0.3, 0.1, 0.2};
  QCustomPlot canvas;
  preparePlot(canvas, plot, FigureStyle(), false);
  ASSERT_EQ(canvas.plottableCount(), 2);
  const auto* bars = qobject_cast<QCPErrorBars*>(canvas.plottable(1));
  ASSERT_NE(bars, nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(bars->data()->at(i).errorPlus, 0.1 * canvas.graph(0)->dataMainKey(i));
  }
}

TEST(NearestPoint, IsTheBarOfItsGroupBelowThePointer) {
  Plot plot;
  plot.x.names = {QStringLiteral("a"), QStringLiteral("b")};
  plot.curves = {curve("first", {0, 1}, {4, 2}), curve("second", {0, 1}, {3, NAN}),
                 curve("third", {0, 1}, {5, 6})};
  for (PlotCurve& each : plot.curves) each.line = PlotCurve::Line::Bars;
  QCustomPlot canvas;
  canvas.resize(600, 300);
  preparePlot(canvas, plot, FigureStyle(), false);
  canvas.replot();
  const auto place = [&](double x, double y) {
    return QPointF(canvas.xAxis->coordToPixel(x), canvas.yAxis->coordToPixel(y));
  };
  for (int i = 0; i < 3; ++i) {
    auto* const bars = qobject_cast<QCPBars*>(canvas.plottable(i));
    ASSERT_NE(bars, nullptr);
    const QPointF drawn = bars->dataPixelPosition(0);
    const auto found = nearestPoint(plot, drawn + QPointF(0, 3), 14, place);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->curve, i) << "where the canvas draws it";
    EXPECT_EQ(found->index, 0u);
  }
  EXPECT_FALSE(nearestPoint(plot, place(1, 1), 14, place)) << "there is no bar";
  EXPECT_EQ(nearestPoint(plot, place(1.3, 1), 14, place)->curve, 2);
}

TEST(PlotView, NamesTheSlotOfAPointBesideItsMiddle) {
  Plot plot;
  plot.x.names = {QStringLiteral("block1.0 0"), QString(), QStringLiteral("block2.0 0"), QString()};
  plot.curves = {curve("a", {1.6}, {1}), curve("b", {2.6}, {5})};
  for (PlotCurve& each : plot.curves) each.line = PlotCurve::Line::None;
  PlotView view;
  view.resize(600, 300);
  view.setPlot(plot);
  view.show();
  plotImageOf(view);
  QString told;
  QObject::connect(&view, &PlotView::hovered, [&told](const QString& text) { told = text; });
  auto* const canvas = view.findChild<QCustomPlot*>();
  const auto toldAt = [&](double x, double y) {
    QTest::mouseMove(canvas, QPoint(static_cast<int>(canvas->xAxis->coordToPixel(x)),
                                    static_cast<int>(canvas->yAxis->coordToPixel(y))));
    return told.toStdString();
  };
  EXPECT_EQ(toldAt(1.6, 1), "a: (block2.0 0, 1.000)");
  EXPECT_EQ(toldAt(2.6, 5), "b: (block2.0 0 + 1, 5.000)");
}

TEST(PlotCanvas, TicksAreLabelledWithWhatTheyStandAt) {
  for (const auto& [low, high] : {std::pair(1000.0, 1012.5), {99990.0, 100002.5}}) {
    Plot plot;
    plot.y.range = {low, high};
    plot.curves = {curve("a", {0, 1}, {low, high})};
    QCustomPlot canvas;
    preparePlot(canvas, plot, FigureStyle(), false);
    canvas.resize(400, 300);
    canvas.replot();
    const QVector<double> ticks = canvas.yAxis->tickVector();
    const QVector<QString> labels = canvas.yAxis->tickVectorLabels();
    ASSERT_EQ(labels.size(), ticks.size());
    for (qsizetype i = 0; i < ticks.size(); ++i) {
      EXPECT_DOUBLE_EQ(labels[i].toDouble(), ticks[i]) << labels[i].toStdString();
    }
  }
}

TEST(PlotCanvas, BarsOfErrorsEndAtALogarithmicAxis) {
  Plot plot;
  plot.y.logarithmic = true;
  plot.curves = {curve("a", {1, 2}, {1, 100})};
  plot.curves[0].reach = {3, 20};
  QCustomPlot canvas;
  preparePlot(canvas, plot, FigureStyle(), false);
  const auto* bars = qobject_cast<QCPErrorBars*>(canvas.plottable(1));
  ASSERT_NE(bars, nullptr);
  EXPECT_DOUBLE_EQ(1 - bars->data()->at(0).errorMinus, canvas.yAxis->range().lower);
  EXPECT_DOUBLE_EQ(bars->data()->at(0).errorPlus, 3);
  EXPECT_DOUBLE_EQ(bars->data()->at(1).errorMinus, 20) << "where there is room";
}

TEST(Legend, AnEntryThatIsTooWideIsOfSeveralLines) {
  const FigureStyle style = printStyle(FigureSettings());
  const QString name = QStringLiteral("rollout: 0.313 / 0.425, better than 18 / 20 of 20 orders");
  std::vector<LegendEntry> entries(2);
  entries[0].name = name;
  entries[1].name = QStringLiteral("key");
  const double wide = 2 * QFontMetricsF(style.small).horizontalAdvance(name);
  const double narrow = 0.4 * wide;
  const double high = legendHeight(entries, narrow, style);
  EXPECT_GT(high, 1.5 * legendHeight(entries, wide, style));
  EXPECT_EQ(legendEntryAt(entries, narrow, style, {5, high / 2 - 1}), 0u);
  EXPECT_EQ(legendEntryAt(entries, narrow, style, {5, high / 2 + 1}), 1u);
  const QByteArray svg = figureSvg(QSizeF(100, 50), 100, [&](QPainter& painter, const QRectF&) {
    paintLegend(painter, QRectF(0, 0, narrow, high), entries, style);
  });
  EXPECT_TRUE(QString::fromUtf8(svg).contains(QStringLiteral("rollout: 0.313 / 0.425,")));
  EXPECT_TRUE(QString::fromUtf8(svg).contains(QStringLiteral("orders")));
}

/// Returns the texts at the ticks of a view's axes, at the left and below.
std::vector<QVector<QString>> tickTexts(PlotView& view) {
  plotImageOf(view);
  const auto* canvas = view.findChild<QCustomPlot*>();
  return {canvas->yAxis->tickVectorLabels(), canvas->xAxis->tickVectorLabels()};
}

TEST(PlotView, TicksReadApartHoweverFarItIsZoomed) {
  Plot plot;
  plot.y.logarithmic = true;
  plot.curves = {curve("a", {0, 3000}, {1e-6, 1})};
  PlotView view;
  view.resize(400, 300);
  view.setPlot(plot);
  view.show();
  const auto whole = tickTexts(view);
  constexpr int mostNotches = 60;
  for (int notch = 1; notch <= mostNotches; ++notch) {
    turnWheel(view, 120);
    for (const QVector<QString>& texts : tickTexts(view)) {
      EXPECT_GE(texts.size(), 2) << notch;
      EXPECT_EQ(QSet<QString>(texts.begin(), texts.end()).size(), texts.size()) << notch;
    }
  }
  view.showWhole();
  EXPECT_EQ(tickTexts(view), whole);
}

TEST(PlotBoard, HasRoomForTitlesAndShortensWhatIsLongerThanTheBoard) {
  PlotBoard board;
  board.resize(720, 600);
  board.show();
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
  board.setPlots({plot, plot});
  QCoreApplication::processEvents();
  EXPECT_EQ(board.plot(0).y(), board.plot(1).y());
  plot.title = QStringLiteral("SOFT++, block3.0, the norm of the bottleneck matrix's inverse");
  board.setPlots({plot, plot});
  QCoreApplication::processEvents();
  EXPECT_LT(board.plot(0).y(), board.plot(1).y()) << "side by side it would be cut off";
  board.resize(240, 600);
  QCoreApplication::processEvents();
  const auto* title = board.plot(0).findChild<ElidedLabel*>();
  ASSERT_EQ(title->text(), plot.title);
  EXPECT_NE(title->shownText(), plot.title);
  EXPECT_EQ(title->toolTip(), plot.title);
  EXPECT_LE(title->geometry().right(), board.plot(0).width());
}

TEST(PlotBoard, RowsHaveAsManyPlotsAsTheyCanShare) {
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
  PlotBoard board;
  board.setPlots({plot, plot, plot, plot});
  board.resize(1000, 700);
  board.show();
  QCoreApplication::processEvents();
  EXPECT_EQ(board.plot(0).y(), board.plot(1).y());
  EXPECT_EQ(board.plot(2).y(), board.plot(3).y());
  EXPECT_LT(board.plot(1).y(), board.plot(2).y());
  EXPECT_NEAR(board.plot(1).width(), board.plot(3).width(), 1);
}

TEST(PlotView, NamesThatWouldRunIntoEachOtherStandOnEnd) {
  Plot plot;
  plot.curves = {curve("a", {0, 1}, {0, 1})};
  plot.x.names = {QStringLiteral("block2.0 · 0"), QStringLiteral("block2.0 · 1")};
  PlotView view;
  view.resize(800, 300);
  view.setPlot(plot);
  view.show();
  QCoreApplication::processEvents();
  const auto* canvas = view.findChild<QCustomPlot*>();
  EXPECT_EQ(canvas->xAxis->tickLabelRotation(), 0);
  QFont large = view.font();
  large.setPixelSize(40);
  view.setFont(large);
  view.resize(220, 300);
  QCoreApplication::processEvents();
  EXPECT_EQ(canvas->xAxis->tickLabelRotation(), -90);
}

TEST(PlotView, NamesOnEndLeaveRoomForTheAxes) {
  PlotView view;
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
  view.setPlot(plot);
  const int before = view.minimumHeight();
  plot.x.names.assign(12, QStringLiteral("cls_attn_blocks.0 0"));
  view.setPlot(plot);
  const FigureStyle style = screenStyle(view);
  EXPECT_GE(view.minimumHeight(), 100 + heightBelowAxes(plot.x, style));
  view.setPlot({});
  EXPECT_EQ(view.minimumHeight(), before);
}

TEST(PlotView, NamesThatStandOnEndForWantOfWidthLeaveRoomForTheAxes) {
  Plot plot;
  plot.curves = {curve("a", {0, 1}, {0, 1})};
  plot.x.names = {QStringLiteral("block2.0 · 0"), QStringLiteral("block2.0 · 1")};
  PlotView view;
  view.resize(800, 300);
  view.setPlot(plot);
  view.show();
  QCoreApplication::processEvents();
  const int lying = view.minimumHeight();
  QFont large = view.font();
  large.setPixelSize(30);
  view.setFont(large);
  view.resize(220, 300);
  QCoreApplication::processEvents();
  ASSERT_EQ(view.findChild<QCustomPlot*>()->xAxis->tickLabelRotation(), -90);
  const FigureStyle style = screenStyle(view);
  EXPECT_GE(view.minimumHeight(),
            7 * QFontMetricsF(style.small).height() +
                QFontMetricsF(style.small).horizontalAdvance(plot.x.names.front()));
  EXPECT_GT(view.minimumHeight(), lying);
}

TEST(PlotView, LargerLettersOfNamesOnEndLeaveRoomForTheAxes) {
  PlotView view;
  Plot plot;
  plot.curves = {curve("a", {0, 1, 2, 3}, {0, 1, 4, 9})};
  plot.x.names.assign(12, QStringLiteral("cls_attn_blocks.0 0"));
  view.setPlot(plot);
  QFont large = view.font();
  large.setPixelSize(2 * QFontInfo(large).pixelSize());
  view.setFont(large);
  EXPECT_GE(view.minimumHeight(), 100 + heightBelowAxes(plot.x, screenStyle(view)));
}

TEST(PlotBoard, ALegendIsNotDrawnOverPlots) {
  PlotBoard board;
  board.resize(500, 500);
  board.show();
  Plot plot;
  plot.curves = {curve("a", {0, 1}, {0, 1}), curve("b", {0, 1}, {1, 0})};
  for (PlotCurve& one : plot.curves) one.label.clear();
  board.setPlots({plot});
  QCoreApplication::processEvents();
  auto* legend = board.findChild<LegendView*>();
  ASSERT_TRUE(legend->isVisible());
  board.setMinimumSize(1, 1);
  board.resize(500, 100);
  QCoreApplication::processEvents();
  EXPECT_FALSE(legend->isVisible());
  board.resize(500, 500);
  QCoreApplication::processEvents();
  EXPECT_TRUE(legend->isVisible());
}

}  // namespace
}  // namespace softscope
