#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "tests/app/window/WindowFixture.h"
#include "widgets/pages/CostPage.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QJsonArray>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>

namespace softscope {
namespace {

/// Times and sizes by known laws: n^2 and n, with SimA's orders as long at n = 32.
CostPoint byLaw(const CostRequest& request, const Progress&) {
  const double n = request.tokens;
  const bool quadratic = isQuadratic(request.mechanism);
  CostPoint point{request, 0, 0, 0};
  point.milliseconds = 0.001 * (quadratic ? n * n / 32 : n);
  point.median = point.milliseconds;
  point.quartile1 = point.median;
  point.quartile3 = 1.25 * point.median;
  point.runs = 9;
  point.bytes = static_cast<std::int64_t>(n) * 1000;
  point.peakBytes = quadratic ? static_cast<std::int64_t>(n * n) : 0;
  return point;
}

/// With as much memory on every machine.
CostMeasurements measureByLaw(const CostSweep& sweep) {
  return measureCosts(sweep, byLaw, {}, std::int64_t{3} << 30);
}

TEST(CostPlots, ExponentsAreThoseOfTheLaws) {
  const CostMeasurements measured = measureByLaw({});
  EXPECT_NEAR(*timeExponent(measured, "soft"), 1, 1e-9);
  EXPECT_NEAR(*timeExponent(measured, "softmax"), 2, 1e-9);
  EXPECT_NEAR(*memoryExponent(measured, "soft"), 1, 1e-9);
  EXPECT_FALSE(timeExponent(measured, "cosformer")) << "not measured";
  const std::vector<Plot> plots = costPlots(measured);
  ASSERT_EQ(plots.size(), 3u);
  EXPECT_TRUE(plots[0].curves[0].group.startsWith(QStringLiteral("softmax · time n^2.00, memory")));
  EXPECT_EQ(plots[2].curves[0].line, PlotCurve::Line::Bars);
  EXPECT_EQ(plots[2].curves[0].y[0], 1) << "softmax over itself";
}

TEST(CostPlots, SimasOrdersCrossWhereTheyTakeEquallyLong) {
  CostMeasurements measured = measureByLaw({});
  ASSERT_TRUE(simaCrossover(measured));
  EXPECT_NEAR(*simaCrossover(measured), 32, 1e-9);
  ASSERT_EQ(costPlots(measured)[0].levels.size(), 1u);
  CostSweep far;
  far.tokens = {784, 1568};
  EXPECT_FALSE(simaCrossover(measureByLaw(far)));
}

TEST(CostPlots, ExponentsAreSpokenOfWhereThereAreSome) {
  const auto about = [](const CostSweep& sweep) {
    return costFigure(measureByLaw(sweep)).blocks[0].caption->about;
  };
  EXPECT_TRUE(about({}).contains(QStringLiteral("exponents fitted from 3136 tokens on")));
  CostSweep few;
  few.tokens = {784, 1568, 3136};
  EXPECT_FALSE(about(few).contains(QStringLiteral("exponents")));
}

TEST(CostPlots, WhatIsLeftOutIsSaid) {
  const PanelFigure figure = costFigure(measureByLaw({}));
  EXPECT_TRUE(figure.blocks[0].caption->about.contains(QStringLiteral("softmax is left out from")));
}

TEST(CostPlots, ShadeTheQuartilesAndSayWhatIsDoubtful) {
  CostSweep sweep;
  sweep.mechanisms = {"sima"};
  sweep.tokens = {64, 128};
  CostMeasurements measured = measureByLaw(sweep);
  const Plot time = costPlots(measured)[0];
  ASSERT_EQ(time.bands.size(), 1u);
  EXPECT_EQ(time.curves[0].y, (std::vector<double>{0.064, 0.128}));
  EXPECT_EQ(time.bands[0].low, (std::vector<double>{0.064, 0.128}));
  EXPECT_EQ(time.bands[0].high, (std::vector<double>{0.08, 0.16}));
  EXPECT_TRUE(costPlots(measured)[1].bands.empty()) << "memory has none";
  const auto about = [&] { return costFigure(measured).blocks[0].caption->about.toStdString(); };
  EXPECT_EQ(about().find("measured again"), std::string::npos);
  measured.points[0].coresLost = 2;
  EXPECT_NE(about().find("to be measured again when nothing else runs: other programs kept the "
                         "machine busy while 1 of 2 points"),
            std::string::npos);
}

TEST(CostPlots, SayWhichPassAndWhichDevice) {
  CostSweep sweep;
  sweep.tokens = {784};
  sweep.pass = CostPass::Training;
  sweep.device = "cuda:0";
  const PanelFigure figure = costFigure(measureByLaw(sweep));
  EXPECT_EQ(figure.blocks[0].caption->detail,
            QStringLiteral("cost of one operator, forward and backward, without projections"));
  EXPECT_TRUE(figure.blocks[0].caption->about.contains(QStringLiteral(
      "float32, cuda:0 · median of several runs, quartiles shaded, caches cold · memory: the "
      "most that was allocated at once, without an optimiser")));
}

TEST(CostTable, HasTheColumnsOfTheCommandLine) {
  CostSweep sweep;
  sweep.mechanisms = {"sima"};
  sweep.tokens = {64};
  EXPECT_EQ(
      csvText(costTable(measureByLaw(sweep))),
      "scope,mechanism,tokens,channels,heads,milliseconds,bytes,peak_bytes,pass,device,median,"
      "quartile_1,quartile_3,runs,cores_lost\n"
      "attention,sima,64,384,12,0.064,64000,0,forward,cpu,0.064,0.064,0.08,9,\n");
}

class CostPageTest : public test::WindowFixture {
 protected:
  void open(CostRunner runner, const WindowOptions& options = {}) {
    Engine engine;
    engine.measureCost = std::move(runner);
    start(engine, options, {1000, 700});
    window_->workspace().setPage(QStringLiteral("cost"));
    settle();
  }
  CostPage& page() { return *window_->findChild<CostPage*>(); }
  QAbstractButton& button(const char* name) {
    for (auto* found : page().findChildren<QAbstractButton*>()) {
      if (found->accessibleName() == QLatin1String(name)) return *found;
    }
    throw std::logic_error("no such button");
  }
  QAbstractButton& measure() { return button("Measure"); }
  QAbstractButton& stop() { return button("Stop measuring"); }
  bool says(const QString& words) {
    for (const auto* label : page().findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(words)) return true;
    }
    return false;
  }
};

TEST_F(CostPageTest, MeasuresWhenToldToAndNeedsNeitherModelNorPicture) {
  std::atomic<std::size_t> points = 0;
  open([&](const CostRequest& request, const Progress& progress) {
    ++points;
    return byLaw(request, progress);
  });
  EXPECT_TRUE(page().isVisible());
  EXPECT_TRUE(says(QStringLiteral("Nothing measured yet")));
  EXPECT_FALSE(page().hasFigure());
  measure().click();
  settle();
  ASSERT_TRUE(page().hasFigure());
  EXPECT_EQ(page().board().plotCount(), 3);
  const auto figure = page().figure();
  EXPECT_EQ(figure->table().rows.size(), points);
  EXPECT_EQ(figure->command({}, {}, "cost.pdf"),
            "softscope figure cost --over tokens --scope attention -o cost.pdf");
}

TEST_F(CostPageTest, TakesBackwardPassesOnTheWindowsDevice) {
  WindowOptions options;
  options.device = "cuda:1";
  std::atomic<int> others = 0;
  open(
      [&](const CostRequest& request, const Progress& progress) {
        if (request.pass != CostPass::Training || request.device != "cuda:1") ++others;
        return byLaw(request, progress);
      },
      options);
  QComboBox* pass = nullptr;
  for (auto* box : page().findChildren<QComboBox*>()) {
    if (box->accessibleName() == QStringLiteral("Pass")) pass = box;
  }
  ASSERT_NE(pass, nullptr);
  pass->setCurrentIndex(1);
  Q_EMIT pass->activated(1);
  settle();
  measure().click();
  settle();
  ASSERT_TRUE(page().hasFigure());
  EXPECT_EQ(others, 0);
  EXPECT_EQ(page().figure()->command({}, {}, "cost.pdf"),
            "softscope figure cost --over tokens --scope attention --pass training --device cuda:1 "
            "-o cost.pdf");
}

TEST_F(CostPageTest, SaysWhyNothingCanBeMeasuredBesideOtherWork) {
  open(byLaw);
  std::promise<void> end;
  window_->workspace().worker().submit(
      Worker::Kind::Analysis, QStringLiteral("other"),
      [done = end.get_future().share()](const Progress&) -> Worker::Delivery {
        done.wait();
        return {};
      });
  page().showNow();
  EXPECT_FALSE(measure().isEnabled());
  EXPECT_TRUE(says(QStringLiteral("Other work is running")));
  end.set_value();
  settle();
  EXPECT_TRUE(measure().isEnabled());
  EXPECT_TRUE(says(QStringLiteral("Nothing measured yet")));
  EXPECT_FALSE(says(QStringLiteral("Other work is running")));
}

TEST_F(CostPageTest, AnotherChoiceIsAnotherMeasurement) {
  open(byLaw);
  measure().click();
  settle();
  auto& over = *page().findChild<QComboBox*>();
  over.setCurrentIndex(1);
  Q_EMIT over.activated(1);
  settle();
  EXPECT_TRUE(says(QStringLiteral("Nothing measured yet")));
  measure().click();
  settle();
  ASSERT_TRUE(page().hasFigure());
  EXPECT_EQ(page().board().plot(0).plot().x.label, QStringLiteral("channels of all heads"));
}

TEST_F(CostPageTest, DrawsAsItMeasuresAndKeepsWhatItHasWhenItIsStopped) {
  std::atomic<int> measured = 0;
  open([&](const CostRequest& request, const Progress& progress) {
    ++measured;
    while (measured > 1) {
      progress.throwIfCancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return byLaw(request, progress);
  });
  measure().click();
  ASSERT_TRUE(QTest::qWaitFor([&] { return measured > 1 && page().hasFigure(); }, test::patience));
  EXPECT_TRUE(says(QStringLiteral("Stop keeps them")));
  EXPECT_FALSE(measure().isEnabled());
  window_->workspace().queue().cancel();
  EXPECT_TRUE(window_->workspace().jobs().isBusy()) << "Esc stops no job";
  stop().click();
  settle();
  ASSERT_TRUE(page().hasFigure());
  EXPECT_TRUE(says(QStringLiteral("Stopped after 1 of ")));
  EXPECT_EQ(page().figure()->table().rows.size(), 1u);
  EXPECT_TRUE(measure().isEnabled());
}

TEST_F(CostPageTest, WithoutARunnerItSaysSo) {
  open(CostRunner());
  EXPECT_FALSE(measure().isEnabled());
  EXPECT_TRUE(says(QStringLiteral("Nothing to measure with")));
}

TEST(CostSettings, AreKept) {
  AnalysisSettings settings;
  settings.of<CostSweep>().over = CostOver::Heads;
  settings.of<CostSweep>().scope = CostScope::Vit12;
  settings.of<CostSweep>().pass = CostPass::Training;
  settings.of<CostSweep>().mechanisms = {"soft", "sima"};
  EXPECT_EQ(readAnalysis(analysisJson(settings)).of<CostSweep>(), settings.of<CostSweep>());
  QJsonObject json = analysisJson(settings);
  json["cost"] = QJsonObject{{"mechanisms", QJsonArray{QStringLiteral("magic")}}};
  EXPECT_EQ(readAnalysis(json).of<CostSweep>(), CostSweep()) << "a mechanism that is not there";
}

}  // namespace
}  // namespace softscope
