#include "app/window/MainWindow.h"
#include "app/window/SurveyFiles.h"
#include "core/survey/Database.h"
#include "widgets/pages/survey/SurveyPage.h"
#include "widgets/pages/survey/SurveyRows.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QElapsedTimer>
#include <QtCore/QFileInfo>
#include <QtCore/QTimer>
#include <QtTest/QTest>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTableView>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <random>

namespace softscope {
namespace {

constexpr int manyPictures = 50'000;
constexpr int manyHeads = 27;
constexpr int manyMeasures = 10;

/// Numbers made up: 50 000 pictures of 27 heads, ten measures. SOFTSCOPE_BENCHMARK_SURVEY names
/// another file.
QString largeSurvey() {
  const QString given = qEnvironmentVariable("SOFTSCOPE_BENCHMARK_SURVEY");
  if (!given.isEmpty()) return given;
  const QString path = QDir::temp().filePath(QStringLiteral("softscope-benchmark.survey"));
  if (QFileInfo::exists(path)) return path;
  Database database((path + QStringLiteral(".part")).toStdString(), Database::Mode::Create);
  std::string columns;
  std::string marks;
  for (int i = 0; i < manyMeasures; ++i) {
    columns += ", m" + std::to_string(i) + " REAL";
    marks += ", ?";
  }
  database.execute(
      "PRAGMA synchronous = OFF; PRAGMA application_id = 0x53465356; PRAGMA user_version = 1;"
      "CREATE TABLE survey(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT, path TEXT, fingerprint TEXT, family "
      "TEXT, variant TEXT, mechanism TEXT, parameters INTEGER, request TEXT, transform TEXT);"
      "CREATE TABLE layer(id INTEGER PRIMARY KEY, model INTEGER, name TEXT, position INTEGER, "
      "mechanism TEXT, heads INTEGER);"
      "CREATE TABLE head(id INTEGER PRIMARY KEY, layer INTEGER, head INTEGER);"
      "CREATE TABLE class(id INTEGER PRIMARY KEY, name TEXT);"
      "CREATE TABLE picture(id INTEGER PRIMARY KEY, path TEXT, class INTEGER, unreadable TEXT);"
      "CREATE TABLE measure(name TEXT PRIMARY KEY, scope TEXT, position INTEGER, title TEXT, unit "
      "TEXT, source TEXT);"
      "CREATE TABLE model_value(picture INTEGER, model INTEGER, PRIMARY KEY(picture, model)) "
      "WITHOUT ROWID;"
      "CREATE TABLE layer_value(picture INTEGER, layer INTEGER, PRIMARY KEY(picture, layer)) "
      "WITHOUT ROWID;"
      "CREATE TABLE head_value(picture INTEGER, head INTEGER" +
      columns +
      ", PRIMARY KEY(picture, head)) WITHOUT ROWID;"
      "INSERT INTO model VALUES(0, 'soft', 'soft.pth', '', '', '', 'soft', 1, '{}', '{}')");
  Transaction transaction(database);
  for (std::int64_t i = 0; i < manyMeasures; ++i) {
    Statement(database, "INSERT INTO measure VALUES(?, 'head', ?, ?, '', 'made up')")
        .bind(0, "m" + std::to_string(i))
        .bind(1, i)
        .bind(2, "Measure " + std::to_string(i))
        .run();
  }
  for (std::int64_t head = 0; head < manyHeads; ++head) {
    if (head % 3 == 0) {
      Statement(database, "INSERT INTO layer VALUES(?, 0, ?, ?, 'soft', 3)")
          .bind(0, head / 3)
          .bind(1, "block" + std::to_string(head / 3) + ".attn")
          .bind(2, head / 3)
          .run();
    }
    Statement(database, "INSERT INTO head VALUES(?, ?, ?)")
        .bind(0, head)
        .bind(1, head / 3)
        .bind(2, head % 3)
        .run();
  }
  std::mt19937 generator(1);
  std::normal_distribution<double> value;
  Statement picture(database, "INSERT INTO picture VALUES(?, ?, NULL, NULL)");
  Statement row(database, "INSERT INTO head_value VALUES(?, ?" + marks + ")");
  for (std::int64_t p = 0; p < manyPictures; ++p) {
    picture.bind(0, p).bind(1, "val/" + std::to_string(p) + ".jpg").run();
    for (std::int64_t head = 0; head < manyHeads; ++head) {
      row.bind(0, p).bind(1, head);
      for (int m = 0; m < manyMeasures; ++m) {
        row.bind(m + 2, value(generator) + static_cast<double>(head));
      }
      row.run();
    }
  }
  transaction.commit();
  QFile::rename(path + QStringLiteral(".part"), path);
  return path;
}

/// The longest time that the window's thread did not come back to its events.
class LongestGap {
 public:
  LongestGap() {
    timer_.setInterval(0);
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] {
      longest_ = std::max(longest_, static_cast<double>(since_.nsecsElapsed()) / 1e6);
      since_.restart();
    });
    since_.start();
    timer_.start();
  }
  double milliseconds() const { return longest_; }

 private:
  QTimer timer_;
  QElapsedTimer since_;
  double longest_ = 0;
};

struct SurveyWindow {
  SurveyWindow() : window(Engine()) {
    window.resize(1280, 800);
    window.show();
    settle();
    page = window.findChild<SurveyPage*>();
  }
  void settle() {
    benchmark::DoNotOptimize(
        QTest::qWaitFor([this] { return !window.workspace().worker().isBusy(); }, 120000));
    QCoreApplication::processEvents();
  }

  MainWindow window;
  SurveyPage* page;
};

/// From opening a survey of 1.35 million rows to its first plot; `blocked_ms` is the longest time
/// that the window was busy meanwhile.
void surveyToPlot(benchmark::State& state) {
  const QString path = largeSurvey();
  SurveyWindow opened;
  double blocked = 0;
  for (auto _ : state) {
    const LongestGap gap;
    opened.window.surveys().open(path);
    opened.settle();
    opened.page->board().repaint();
    blocked = std::max(blocked, gap.milliseconds());
  }
  if (opened.page->board().plotCount() == 0) state.SkipWithError("there is no plot");
  state.counters["blocked_ms"] = blocked;
}

void showTable(SurveyWindow& opened) {
  opened.window.surveys().open(largeSurvey());
  AnalysisSettings settings = opened.window.workspace().analysis().settings();
  settings.of<SurveySettings>().table = true;
  opened.window.workspace().analysis().set(settings);
  opened.settle();
}

/// One step of the wheel in a table of 1.35 million rows, to the end of its paint.
void scrollSurveyTable(benchmark::State& state) {
  SurveyWindow opened;
  showTable(opened);
  QTableView& table = opened.page->table();
  if (table.model()->rowCount() < 1'000'000) state.SkipWithError("there are too few rows");
  for (auto _ : state) {
    table.verticalScrollBar()->setValue((table.verticalScrollBar()->value() + 12'347) %
                                        std::max(1, table.verticalScrollBar()->maximum()));
    table.viewport()->repaint();
  }
}

/// From a click on a column's head to the sorted table.
void sortSurveyTable(benchmark::State& state) {
  SurveyWindow opened;
  showTable(opened);
  double blocked = 0;
  bool rises = false;
  for (auto _ : state) {
    const LongestGap gap;
    rises = !rises;
    opened.page->table().sortByColumn(SurveyRows::ValueColumn,
                                      rises ? Qt::AscendingOrder : Qt::DescendingOrder);
    opened.settle();
    opened.page->table().viewport()->repaint();
    blocked = std::max(blocked, gap.milliseconds());
  }
  state.counters["blocked_ms"] = blocked;
}

BENCHMARK(surveyToPlot)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(scrollSurveyTable)->Iterations(200)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sortSurveyTable)->Iterations(4)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope
