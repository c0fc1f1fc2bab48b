#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "core/analysis/deletion/DeletionAnalysis.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/WholeText.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/analysis/DeletionFigure.h"
#include "widgets/pages/deletion/DeletionPage.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The probability is the share of the patches that is kept, whatever the order.
std::vector<DeletionCurves> keptShares(const DeletionRequest& request, const Progress& progress) {
  return followOrders(
      request.orders, request.steps,
      [](const std::vector<bool>& kept) {
        return static_cast<double>(std::count(kept.begin(), kept.end(), true)) /
               static_cast<double>(kept.size());
      },
      progress);
}

/// As much of every head as of the residual stream.
std::shared_ptr<const ModelShare> evenShares(const Model& model) {
  auto shares = std::make_shared<ModelShare>();
  for (const LayerSummary& summary : model.summary().layers) {
    LayerShare layer;
    layer.layer = summary.name;
    layer.heads.resize(static_cast<std::size_t>(summary.heads));
    for (HeadShare& head : layer.heads) head.projectedNorm = 1;
    layer.whole.projectedNorm = layer.residualNorm = 1;
    shares->layers.push_back(layer);
  }
  return shares;
}

class DeletionPageTest : public test::WindowFixture {
 protected:
  void open(bool hasHead = true) {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    options.models.resize(1);
    // The content of its file tells a model from others.
    QFile file(folder_.filePath(QStringLiteral("first.pth")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("weights");
    file.close();
    options.models[0].path = file.fileName().toStdString();
    Engine engine = test::syntheticEngine(
        test::openSynthetic,
        [hasHead](const Model&, const InputTensor&, const Progress&, const InspectionOptions&) {
          auto seen = std::make_shared<Inspection>(*test::syntheticInspection());
          if (!hasHead) seen->logits.clear();
          return seen;
        });
    engine.measureDeletion = [this](const Model&, const InputTensor& input,
                                    const DeletionRequest& request, const Progress& progress) {
      EXPECT_EQ(input.height, 64);
      ++measurements_;
      request_ = request;
      if (slowly_) {
        // The first order is followed, and then it takes its time.
        DeletionRequest first = request;
        first.orders.resize(1);
        if (request.followed) request.followed(keptShares(first, progress));
      }
      while (slowly_) {
        progress.report(0.1, "slowly");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return keptShares(request, progress);
    };
    engine.measureShare = [](const Model& model, const InputTensor&, const ShareRequest& request,
                             const Progress&) {
      EXPECT_FALSE(request.knockouts);
      return evenShares(model);
    };
    start(engine, options, {1000, 700});
    window_->workspace().setPage(QStringLiteral("deletion"));
  }
  DeletionPage& page() { return *window_->findChild<DeletionPage*>(); }
  template <typename Control>
  Control& control(const char* name) {
    for (auto* found : page().findChildren<Control*>()) {
      if (found->accessibleName() == QString::fromLatin1(name)) return *found;
    }
    throw std::runtime_error(std::string("there is no ") + name);
  }
  std::string words() { return test::wordsOf(page()); }
  FigureSource source() {
    return {{{window_->workspace().models().all()[0].request, {}}},
            window_->workspace().picture().get()->path,
            0};
  }

  QTemporaryDir folder_;
  std::atomic<bool> slowly_ = false;
  std::atomic<int> measurements_ = 0;
  /// What was asked last.
  DeletionRequest request_;
};

TEST_F(DeletionPageTest, ShowsCurvesAndThePictureOnTheWay) {
  open();
  settle();
  EXPECT_EQ(measurements_, 1);
  EXPECT_EQ(request_.grid, (TokenGrid{4, 4}));
  EXPECT_EQ(request_.classIndex, 1);
  ASSERT_TRUE(page().board().isVisible());
  ASSERT_EQ(page().board().plotCount(), 2);
  const Plot& plot = page().board().plot(0).plot();
  // Chance, class attention, rollout, received: the synthetic layers have no norms.
  ASSERT_EQ(plot.curves.size(), 4u);
  EXPECT_EQ(plot.bands.size(), 1u);
  EXPECT_EQ(
      plot.curves[1].group.toStdString(),
      "class attention: 0.5 / 0.5, better than 0 / 0 of 20 random orders, as good as 20 / 20");
  for (std::size_t i = 1; i < plot.curves.size(); ++i) {
    EXPECT_NE(plot.curves[i].color, plot.curves[0].color) << "grey is chance's";
  }
  EXPECT_EQ(plot.y.label.toStdString(), "probability of tiger cat");
  EXPECT_THAT(words(), HasSubstr("no query saliency"));
  EXPECT_THAT(words(), HasSubstr("attention counts for 0.5 beside the residual stream, by norms"));
  EXPECT_THAT(words(), HasSubstr("predicted: tiger cat"));
  EXPECT_THAT(words(), HasSubstr("mean of 20 orders of this picture"));
  EXPECT_THAT(plot.curves[0].group.toStdString(), HasSubstr("0.5 (0.5 to 0.5)"));

  ASSERT_EQ(page().pictures().count(), 3);
  EXPECT_EQ(page().orders().count(), 4);
  EXPECT_EQ(page().orders().itemText(3).toStdString(), "random");
  EXPECT_EQ(page().pictures().view(2).panel().note.toStdString(), "50 %: 0.50");
  const Matrix before = page().pictures().view(2).panel().colors;
  // A click on the third curve shows its pictures.
  Q_EMIT page().board().curveChosen(1, 2);
  EXPECT_EQ(page().orders().currentText().toStdString(), "rollout");
  EXPECT_EQ(page().pictures().view(2).panel().title.toStdString(), "rollout");
  Q_EMIT page().board().curveChosen(0, 0);
  EXPECT_EQ(page().orders().currentText().toStdString(), "random");
  EXPECT_NE(page().pictures().view(2).panel().colors, before);
}

/// A quarter of the patches is gone, in the data set's mean colour.
TEST_F(DeletionPageTest, PicturesAreWhatTheModelSees) {
  open();
  settle();
  const Matrix& colors = page().pictures().view(1).panel().colors;
  ASSERT_EQ(colors.rows(), 64 * 64);
  int grey = 0;
  for (Eigen::Index i = 0; i < colors.rows(); ++i) {
    grey += std::abs(colors(i, 0) - 0.485f) < 1e-6f && std::abs(colors(i, 1) - 0.456f) < 1e-6f &&
            std::abs(colors(i, 2) - 0.406f) < 1e-6f;
  }
  EXPECT_EQ(grey, 64 * 64 / 4);
}

TEST_F(DeletionPageTest, ItsFigureHasACommandAndATable) {
  open();
  settle();
  control<QComboBox>("Class").setCurrentIndex(4);
  Q_EMIT control<QComboBox>("Class").activated(4);
  settle();
  control<QComboBox>("Removal").setCurrentIndex(1);
  Q_EMIT control<QComboBox>("Removal").activated(1);
  settle();
  control<QCheckBox>("Rollout").setChecked(false);
  settle();
  EXPECT_EQ(request_.classIndex, 3);
  EXPECT_EQ(request_.removal, PatchRemoval::Blur);
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->command(source(), {}, "deletion.pdf"),
              HasSubstr("softscope figure deletion -m "));
  EXPECT_THAT(figure->command(source(), {}, "deletion.pdf"),
              HasSubstr(" --removal blur --no-rollout --class 3 -o deletion.pdf"));
  EXPECT_THAT(csvText(figure->table()), HasSubstr("\nfirst,class_attention,insertion,1,1,"));
  EXPECT_THAT(csvText(figure->table()), Not(HasSubstr("rollout")));
}

TEST_F(DeletionPageTest, CanBeStoppedAndAskedAgain) {
  slowly_ = true;
  open();
  ASSERT_TRUE(QTest::qWaitFor([this] { return measurements_ == 1; }, test::patience));
  EXPECT_THAT(words(), HasSubstr("It continues while you look at other pages"));
  EXPECT_FALSE(page().figure());
  QTest::mouseClick(&control<QPushButton>("Stop measuring"), Qt::LeftButton);
  settle();
  EXPECT_THAT(words(), HasSubstr("This has not been measured"));
  window_->workspace().setPage(QStringLiteral("heads"));
  window_->workspace().setPage(QStringLiteral("deletion"));
  settle();
  EXPECT_EQ(measurements_, 1) << "what was stopped stays so until it is asked for";
  slowly_ = false;
  QTest::mouseClick(&control<QPushButton>("Measure again"), Qt::LeftButton);
  settle();
  EXPECT_TRUE(page().board().isVisible());
  EXPECT_TRUE(page().figure());
}

TEST_F(DeletionPageTest, GoesOnThroughTenPageChangesAndIsFoundFinished) {
  slowly_ = true;
  open();
  ASSERT_TRUE(QTest::qWaitFor([this] { return measurements_ == 1 && page().board().isVisible(); },
                              test::patience));
  EXPECT_EQ(page().board().plot(0).plot().curves.size(), 1u) << "the curve that is there by now";
  EXPECT_TRUE(QTest::qWaitFor([this] { return words().find("10 % done") != std::string::npos; },
                              test::patience));
  EXPECT_FALSE(page().figure()) << "a part is no result";
  Workspace& workspace = window_->workspace();
  int changes = 0;
  for (const char* other : {"spectrum", "heads", "matrix", "share", "compare"}) {
    for (const char* next : {other, "deletion"}) {
      workspace.setPage(QLatin1String(next));
      test::settle(workspace.worker());
      ++changes;
    }
  }
  EXPECT_EQ(changes, 10);
  EXPECT_TRUE(workspace.jobs().isBusy());
  workspace.setPage(QStringLiteral("heads"));
  slowly_ = false;
  settle();
  workspace.setPage(QStringLiteral("deletion"));
  settle();
  EXPECT_EQ(measurements_, 1) << "measured once";
  EXPECT_TRUE(page().figure());
  EXPECT_EQ(page().board().plot(0).plot().curves.size(), 4u);
}

TEST_F(DeletionPageTest, FindsTheResultsOfOtherPicturesLayersAndSettingsAgain) {
  open();
  settle();
  Workspace& workspace = window_->workspace();
  const QString first = QString::fromStdString(workspace.picture().get()->path);
  const auto open = [&](const QString& path) {
    workspace.picture().open(path);
    settle();
  };
  open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  EXPECT_EQ(measurements_, 2);
  open(first);
  EXPECT_EQ(measurements_, 2) << "the picture is known";
  EXPECT_TRUE(page().figure());
  workspace.layers().choose("blocks.2.attn");
  settle();
  EXPECT_EQ(measurements_, 3);
  workspace.layers().choose("block1.0.attn");
  settle();
  EXPECT_EQ(measurements_, 3) << "and so is the layer";
  control<QCheckBox>("Rollout").setChecked(false);
  settle();
  control<QCheckBox>("Rollout").setChecked(true);
  settle();
  EXPECT_EQ(measurements_, 4);
  ModelRequest other = workspace.models().current()->request;
  other.attention = "gaussian";
  workspace.queue().open(other);
  settle();
  EXPECT_EQ(measurements_, 5) << "another mechanism is another model";
}

TEST_F(DeletionPageTest, SaysWhatIsNotThere) {
  open(false);
  settle();
  EXPECT_EQ(measurements_, 0);
  EXPECT_THAT(words(), HasSubstr("a backbone without a head"));
  EXPECT_FALSE(page().figure());
  EXPECT_FALSE(page().hasFigure());
}

TEST_F(DeletionPageTest, WhatIsChosenIsKeptInTheWorkspace) {
  open();
  settle();
  AnalysisSettings settings;
  settings.of<DeletionSettings>() = {.removal = PatchRemoval::Tokens,
                                     .classIndex = 5,
                                     .steps = 7,
                                     .patch = 8,
                                     .saliency = false,
                                     .random = 0};
  EXPECT_EQ(readAnalysis(analysisJson(settings)).of<DeletionSettings>(),
            settings.of<DeletionSettings>());
  EXPECT_EQ(readAnalysis({}).of<DeletionSettings>(), DeletionSettings());
  window_->workspace().analysis().set(settings);
  settle();
  EXPECT_EQ(control<QComboBox>("Class").currentIndex(), 6);
  EXPECT_FALSE(control<QCheckBox>("Saliency").isChecked());
  EXPECT_EQ(request_.grid, (TokenGrid{8, 8})) << "the tokens of the first layer";
  EXPECT_EQ(page().board().plot(0).plot().bands.size(), 0u);
}

}  // namespace
}  // namespace softscope
