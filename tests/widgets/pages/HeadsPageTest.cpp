#include "app/window/MainWindow.h"
#include "core/attention/DenseMap.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/core/SyntheticAttention.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

namespace softscope {
namespace {

/// Of one head.
LayerInspection layerOf(const std::string& name, const Matrix& values) {
  LayerInspection layer;
  layer.name = name;
  const AttentionDescription attention = test::gridAttention(1, 8, 8);
  layer.attention = std::make_shared<DenseMap>(attention, MatrixStack(std::vector<Matrix>{values}));
  return layer;
}

std::shared_ptr<const Inspection> inspectWithSameAnswers(const Model& model,
                                                         const InputTensor& input,
                                                         const Progress& progress,
                                                         const InspectionOptions& options) {
  auto inspection =
      std::make_shared<Inspection>(*test::inspectSynthetic(model, input, progress, options));
  const auto sameForAll = [](Eigen::Index query, Eigen::Index key) {
    return 1.0F + static_cast<float>(key) + 1e-3F * static_cast<float>(query % 2);
  };
  const auto ofOtherSizes = [](Eigen::Index query, Eigen::Index key) {
    return std::exp(static_cast<float>(query % 16)) * (1.0F + static_cast<float>(key));
  };
  const std::string first = inspection->layers[0].name;
  const std::string last = inspection->layers[2].name;
  inspection->layers[0] = layerOf(first, Matrix::NullaryExpr(64, 64, sameForAll));
  inspection->layers[2] = layerOf(last, Matrix::NullaryExpr(64, 64, ofOtherSizes));
  return inspection;
}

class HeadsPageTest : public test::WindowFixture {
 protected:
  HeadsPageTest() {
    WindowOptions options;
    options.bundledPicture = test::writeTestPicture(128, 64);
    options.bundledModel = "soft.pth";
    start(test::syntheticEngine(test::openSynthetic, inspectWithSameAnswers), options);
  }
  HeadGrid& heads() { return *window_->findChild<HeadsPage*>()->findChild<HeadGrid*>(); }
};

TEST_F(HeadsPageTest, AHeadThatAnswersAllAlikeSaysSo) {
  const QString same = QStringLiteral("almost the same for every query");
  EXPECT_TRUE(heads().view(0).panel().note.contains(same));
  window_->workspace().layers().setDirection(Direction::Columns);
  settle();
  EXPECT_FALSE(heads().view(0).panel().note.contains(same)) << "columns are not";
  window_->workspace().layers().setDirection(Direction::Rows);
  window_->workspace().layers().choose("block2.0.attn");
  settle();
  for (int head = 0; head < 3; ++head) {
    EXPECT_FALSE(heads().view(head).panel().note.contains(same)) << head;
  }
}

TEST_F(HeadsPageTest, AHeadWhoseAnswersDifferInSizeAloneSaysSo) {
  window_->workspace().layers().choose("blocks.2.attn");
  settle();
  EXPECT_TRUE(
      heads().view(0).panel().note.startsWith(QStringLiteral("same pattern for every query")));
}

TEST_F(HeadsPageTest, WhatIsSaidOfAHeadOnTheScreenStandsInItsFigureAndNumbers) {
  const QString same = QStringLiteral("almost the same for every query");
  const auto svg = [this] {
    const PageFigure figure = *window_->findChild<HeadsPage*>()->figure();
    const FigureSettings settings;
    return QString::fromUtf8(
        figureSvg(figure.drawing.size(settings), 100, [&](QPainter& painter, const QRectF& place) {
          figure.drawing.paint(painter, place, settings);
        }));
  };
  EXPECT_TRUE(svg().contains(QStringLiteral("head 0: ") + same));
  const std::vector<std::string> caveats = window_->findChild<HeadsPage*>()->figure()->caveats();
  ASSERT_FALSE(caveats.empty());
  EXPECT_TRUE(caveats[0].ends_with(".head_0: " + same.toStdString())) << caveats[0];
  window_->workspace().layers().setDirection(Direction::Columns);
  settle();
  EXPECT_FALSE(svg().contains(same)) << "columns are not";
}

TEST_F(HeadsPageTest, OneHeadIsNotShownAgainAsTheMean) {
  EXPECT_EQ(heads().count(), 1);
  window_->workspace().layers().choose("block2.0.attn");
  settle();
  EXPECT_EQ(heads().count(), 4) << "three heads and their mean";
}

TEST_F(HeadsPageTest, ALikenessThatWasCancelledIsComputedOnceModelsHaveRun) {
  const auto isHeld = std::make_shared<std::atomic<bool>>(true);
  Worker& worker = window_->workspace().worker();
  worker.submit(Worker::Kind::Model, QStringLiteral("held"),
                [isHeld](const Progress& progress) -> Worker::Delivery {
                  while (*isHeld) {
                    progress.throwIfCancelled();
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                  }
                  return {};
                });
  window_->workspace().layers().choose("blocks.2.attn");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return worker.isBusy(Worker::Kind::Analysis); }, test::patience));
  // The run of another model cancels analyses in this way.
  worker.cancel(Worker::Kind::Analysis);
  *isHeld = false;
  settle();
  const auto isTold = [this] {
    return heads().view(0).panel().note.startsWith(QStringLiteral("same pattern for every query"));
  };
  EXPECT_TRUE(isTold());
}

}  // namespace
}  // namespace softscope
