#include "app/window/MainWindow.h"
#include "core/attention/FactoredMap.h"
#include "core/inspect/TokenInspection.h"
#include "tests/benchmark/RandomStack.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/OverviewPage.h"
#include "widgets/pages/TokensPage.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/HeadWallView.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <random>
#include <set>

namespace softscope {
namespace {

constexpr int clickHeads = 12;
constexpr int clickLandmarks = 49;

std::string clickLayer(int number) {
  return "block1." + std::to_string(number) + ".att.mha.attn";
}

/// Layers of twelve heads of SOFT on side x side patches.
std::shared_ptr<const Inspection> largeInspection(int side, int layers) {
  AttentionDescription attention;
  attention.mechanism = "soft";
  attention.queryGrid = attention.keyGrid = TokenGrid{side, side};
  attention.landmarks = clickLandmarks;
  const MatrixStack factor = randomStack(clickHeads, side * side, clickLandmarks);
  auto inspection = std::make_shared<Inspection>();
  for (int i = 0; i < layers; ++i) {
    LayerInspection layer;
    layer.name = clickLayer(i);
    layer.attention = std::make_shared<FactoredMap>(
        attention, factor, randomStack(clickHeads, clickLandmarks, clickLandmarks), factor);
    inspection->layers.push_back(layer);
  }
  inspection->inputHeight = inspection->inputWidth = 4 * side;
  return inspection;
}

std::shared_ptr<const Model> modelOf(int side, int layers) {
  ModelSummary summary;
  summary.path = "soft.pth";
  summary.mechanism = "soft";
  summary.mechanismConfidence = 1;
  summary.transform.extent = InputTransform::Extent::Whole;
  summary.transform.height = summary.transform.width = 4 * side;
  for (int i = 0; i < layers; ++i) {
    summary.layers.push_back({clickLayer(i), "soft", 1, clickHeads});
  }
  return std::make_shared<Model>(summary, nullptr);
}

std::string picturePath(int side) {
  QImage image(side, side, QImage::Format_RGB32);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) image.setPixel(x, y, qRgb(x % 256, y % 256, (x ^ y) % 256));
  }
  static const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("picture.png"));
  image.save(path);
  return path.toStdString();
}

/// The residual stream behind the layer: a token of 768 channels for every patch, and a class
/// token.
std::shared_ptr<const TokenInspection> largeTokens(int side) {
  constexpr int channels = 768;
  LayerTokens layer{clickLayer(0), {side, side}, Matrix::Random(1 + side * side, channels), {}};
  layer.norms = layer.tokens.rowwise().norm();
  return std::make_shared<TokenInspection>(TokenInspection{{std::move(layer)}});
}

/// A window of 1280 x 800 on layers of side x side patches, which turns to `page`.
std::unique_ptr<MainWindow> windowOn(int side, const QString& page, int layers = 1) {
  WindowOptions options;
  options.picturePath = picturePath(4 * side);
  ModelRequest request;
  request.path = "soft.pth";
  options.models = {request};
  Engine engine;
  engine.openModel = [side, layers](const ModelRequest&, const Progress&) {
    return modelOf(side, layers);
  };
  engine.inspect = [inspection = largeInspection(side, layers)](
                       const Model&, const InputTensor&, const Progress&,
                       const InspectionOptions&) { return inspection; };
  engine.inspectTokens = [side](const Model&, const InputTensor&, const Progress&) {
    return largeTokens(side);
  };
  auto window = std::make_unique<MainWindow>(engine, options);
  window->resize(1280, 800);
  window->show();
  Worker& worker = window->workspace().worker();
  (void)QTest::qWaitFor([&] { return !worker.isBusy(); }, 60000);
  window->workspace().setPage(page);
  QCoreApplication::processEvents();
  (void)QTest::qWaitFor([&] { return !worker.isBusy(); }, 60000);
  QCoreApplication::processEvents();
  return window;
}

/// Tells which widgets were painted.
class PaintWatch : public QObject {
 public:
  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() == QEvent::Paint) painted_.insert(object);
    return false;
  }
  bool saw(const QObject& object) const { return painted_.contains(&object); }
  void forget() { painted_.clear(); }

 private:
  std::set<const QObject*> painted_;
};

/// From the input event of a click to the end of the paint that answers it. The time is the median;
/// `p95_ms` is the 95th percentile of the clicks, which the budget is about.
void measureClicks(benchmark::State& state, MainWindow& window,
                   const std::vector<QWidget*>& answering) {
  if (answering.empty()) {
    state.SkipWithError("the window did not become ready");
    return;
  }
  auto& picture = *window.findChild<PictureView*>();
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> place(0.01, 0.99);
  std::vector<double> milliseconds;
  PaintWatch watch;
  for (QWidget* view : answering) view->installEventFilter(&watch);
  for (auto _ : state) {
    watch.forget();
    const QPoint at = picture.placeOf({place(generator), place(generator)}).toPoint();
    const auto start = std::chrono::steady_clock::now();
    QTest::mouseClick(&picture, Qt::LeftButton, {}, at);
    // Whatever the click made dirty is painted now rather than when the loop is idle.
    QCoreApplication::processEvents();
    for (QWidget* view : answering) {
      if (!watch.saw(*view)) view->repaint();
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    milliseconds.push_back(took.count());
    state.SetIterationTime(took.count() / 1000);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  state.counters["p95_ms"] = milliseconds[milliseconds.size() * 95 / 100];
}

std::vector<QWidget*> viewsOf(HeadGrid& grid) {
  std::vector<QWidget*> views;
  for (int i = 0; i < grid.count(); ++i) views.push_back(&grid.view(i));
  return views;
}

/// Twelve heads' maps of the clicked patch.
void clickToPaint(benchmark::State& state) {
  const auto window = windowOn(static_cast<int>(state.range(0)), QStringLiteral("heads"));
  measureClicks(state, *window, viewsOf(*window->findChild<HeadsPage*>()->findChild<HeadGrid*>()));
  state.counters["map_MB"] =
      1e-6 * sizeof(float) * clickHeads * clickLandmarks * double(state.range(0) * state.range(0));
}

/// The similarity of every patch's token to the clicked one's.
void clickToTokens(benchmark::State& state) {
  const auto window = windowOn(static_cast<int>(state.range(0)), QStringLiteral("tokens"));
  measureClicks(state, *window, viewsOf(*window->findChild<TokensPage*>()->findChild<HeadGrid*>()));
}

/// Twelve heads of each of so many layers on one wall.
void clickToWall(benchmark::State& state) {
  const auto window = windowOn(static_cast<int>(state.range(0)), QStringLiteral("overview"),
                               static_cast<int>(state.range(1)));
  measureClicks(state, *window, {window->findChild<OverviewPage*>()->wall().viewport()});
}

BENCHMARK(clickToPaint)
    ->Arg(56)
    ->Arg(256)
    ->Arg(512)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(clickToWall)
    ->Args({14, 12})
    ->Args({56, 8})
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(clickToTokens)->Arg(56)->Iterations(200)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("Softscope"));
  QApplication::setApplicationName(QStringLiteral("Benchmark"));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
