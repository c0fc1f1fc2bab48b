#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/WholeText.h"
#include "widgets/pages/SharePage.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QStatusBar>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace softscope {
namespace {

using ::testing::HasSubstr;

enum class ShareKind { Complete, WithoutConvolution, WithoutHead, WithoutNorms };

/// Made-up norms of the synthetic model's layers, all different. Its class is 1; without head 1 of
/// the second layer, or all of that layer, it is 5.
ModelShare syntheticShare(ShareKind kind, bool knockouts) {
  ModelShare share;
  if (kind != ShareKind::WithoutHead) share.logits = {1, 5, 2, 0, 0, 3};
  share.hasNorms = kind != ShareKind::WithoutNorms;
  share.knockouts = knockouts && kind != ShareKind::WithoutHead;
  double number = 0;
  const auto next = [&](bool beside, bool changes) {
    ++number;
    HeadShare head{0.001 * number, {}, 0.02 * number, {}};
    if (beside && kind != ShareKind::WithoutConvolution) head.besideNorm = 7 + number;
    if (share.knockouts) head.knockout = Knockout{0.3 * number, 0.05 * number, changes ? 5 : 1};
    return head;
  };
  const auto inspection = test::syntheticInspection();
  for (std::size_t i = 0; i < inspection->layers.size(); ++i) {
    LayerShare layer{inspection->layers[i].name, "soft", {}, next(i < 2, i == 1), 10 + number, 3};
    const int heads = inspection->layers[i].attention->description().heads;
    for (int head = 0; head < heads; ++head) {
      layer.heads.push_back(next(i < 2, i == 1 && head == 1));
    }
    share.layers.push_back(layer);
  }
  return share;
}

MeasuredShare measured(ShareKind kind, bool knockouts = true) {
  return {"first",
          {},
          {"tabby", "tiger cat"},
          std::make_shared<const ModelShare>(syntheticShare(kind, knockouts))};
}

TEST(ShareMaps, HoldEveryHeadAndEveryLayer) {
  const MeasuredShare of = measured(ShareKind::Complete);
  const LayerHeadMap beside = shareMap(*of.share, ShareReference::Beside);
  ASSERT_EQ(beside.layers.size(), 3);
  EXPECT_DOUBLE_EQ(beside.whole[0].value(), 0.001 / 8);
  EXPECT_DOUBLE_EQ(beside.value(0, 1).value(), 0.003 / 10);
  EXPECT_DOUBLE_EQ(beside.value(1, -1).value(), 0.004 / 11);
  EXPECT_FALSE(beside.value(2, 0)) << "nothing stands beside a softmax block's attention";
  EXPECT_FLOAT_EQ(beside.range.low, 0.001f / 8);
  EXPECT_FLOAT_EQ(beside.range.high, 0.007f / 14);
  const LayerHeadMap residual = shareMap(*of.share, ShareReference::Residual);
  EXPECT_DOUBLE_EQ(residual.value(0, 0).value(), 0.04 / 11);
  EXPECT_TRUE(residual.marked.empty());
  const LayerHeadMap knockouts = shareMap(*of.share, ShareReference::Knockout);
  EXPECT_DOUBLE_EQ(knockouts.value(2, 1).value(), 0.5);
  EXPECT_THAT(knockouts.marked, ::testing::UnorderedElementsAre(QPoint(1, 1), QPoint(-1, 1)));
}

TEST(ShareMaps, SayTheRawMagnitudes) {
  const MeasuredShare of = measured(ShareKind::Complete);
  EXPECT_EQ(shareText(of, 0, 1).toStdString(),
            "block1.0, head 1: |attention| 0.00300 · beside it 10.0 · projected 0.0600 · "
            "|residual| 11.0 · without it: logits change by 0.900 (15.0 %), tiger cat");
  EXPECT_THAT(shareText(of, 1, -1).toStdString(), HasSubstr("block2.0, all heads: "));
  EXPECT_THAT(shareText(of, 1, -1).toStdString(), HasSubstr("class 5"));
  EXPECT_EQ(shareSummary(*of.share).toStdString(),
            "attention is 1.3×10⁻⁴ to 5.0×10⁻⁴ of the convolution beside it · it adds 0.0018 to "
            "0.011 of the residual stream · knocking out changes the logits by 0.050 to 0.50 of "
            "their norm, and the class with 1 of 7 heads");
  EXPECT_THAT(shareSummary(*measured(ShareKind::WithoutHead).share).toStdString(),
              HasSubstr("backbone without a head"));
}

TEST(ShareMaps, ATableHasEmptyFieldsWhereNothingIs) {
  const Table table = shareTable({measured(ShareKind::WithoutHead)});
  ASSERT_EQ(table.rows.size(), 3u + 7);
  const std::string text = csvText(table);
  EXPECT_THAT(text, HasSubstr("\nfirst,block1.0.attn,-1,0.001,8,11,,,0.02,3,,\n"));
  EXPECT_THAT(text, HasSubstr("\nfirst,blocks.2.attn,1,0.01,,18,,,0.2,3,,\n"));
  EXPECT_THAT(csvText(shareTable({measured(ShareKind::Complete)})),
              HasSubstr("\nfirst,block2.0.attn,1,0.006,13,14,1.7999999999999998,5,"));
}

TEST(ShareMaps, ModelsShareOneScaleAndThoseWithoutAMapAreLeftOut) {
  const std::vector<MeasuredShare> models{measured(ShareKind::Complete),
                                          measured(ShareKind::WithoutConvolution)};
  EXPECT_EQ(shareFigure(models, {ShareReference::Residual, true}).blocks.size(), 2u);
  EXPECT_EQ(shareFigure(models, {ShareReference::Beside, true}).blocks.size(), 1u);
  EXPECT_THROW(shareFigure({models[1]}, {ShareReference::Beside, true}), InspectionError);
  EXPECT_THROW(shareFigure({measured(ShareKind::WithoutHead)}, {ShareReference::Knockout, true}),
               InspectionError);
  EXPECT_THROW(
      shareFigure({measured(ShareKind::Complete, false)}, {ShareReference::Knockout, false}),
      InspectionError);
}

std::atomic<bool> slowToMeasure = false;

class SharePageTest : public test::WindowFixture {
 protected:
  void open(ShareKind kind) {
    slowToMeasure = false;
    Engine engine = test::syntheticEngine();
    engine.measureShare = [this, kind](const Model&, const InputTensor& input,
                                       const ShareRequest& request, const Progress& progress) {
      EXPECT_EQ(input.height, 64);
      ++measurements_;
      while (slowToMeasure && request.knockouts) {
        progress.report(0.1, "slowly");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return std::make_shared<const ModelShare>(syntheticShare(kind, request.knockouts));
    };
    start(engine, test::syntheticContent({"first.pth"}), {1000, 700});
    window_->workspace().setPage(QStringLiteral("share"));
  }
  SharePage& page() { return *window_->findChild<SharePage*>(); }
  void press(const char* name) {
    for (auto* button : page().findChildren<QPushButton*>()) {
      if (button->accessibleName() == QLatin1String(name)) button->click();
    }
  }
  void choose(ShareReference of) {
    auto& box = *page().findChild<QComboBox*>();
    box.setCurrentIndex(static_cast<int>(of));
    Q_EMIT box.activated(box.currentIndex());
    settle();
  }
  std::string words() { return test::wordsOf(page()); }

  std::atomic<int> measurements_ = 0;
};

TEST_F(SharePageTest, ShowsEveryHeadAndLeadsToItsLayer) {
  open(ShareKind::Complete);
  settle();
  EXPECT_EQ(measurements_, 2) << "shares first, then knock-outs";
  LayerHeadView& view = page().view();
  ASSERT_TRUE(view.isVisible());
  EXPECT_EQ(view.map().values,
            shareMap(syntheticShare(ShareKind::Complete, true), ShareReference::Residual).values);
  EXPECT_THAT(words(), HasSubstr("of the convolution beside it"));
  QTest::mouseMove(&view, view.centreOf(1, 2).toPoint());
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.centreOf(1, 2).toPoint());
  EXPECT_EQ(window_->workspace().models().current()->layer, "block2.0.attn");
  EXPECT_EQ(window_->workspace().page(), QStringLiteral("heads"));
  window_->workspace().setPage(QStringLiteral("share"));
  settle();
  EXPECT_EQ(measurements_, 2) << "nothing is measured twice";
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.centreOf(0, -1).toPoint());
  EXPECT_EQ(window_->workspace().models().current()->layer, "block1.0.attn");
}

TEST_F(SharePageTest, KeysWalkFromTheWholeLayerToItsHeads) {
  open(ShareKind::Complete);
  settle();
  LayerHeadView& view = page().view();
  std::vector<QPoint> seen;
  QObject::connect(&view, &LayerHeadView::hovered,
                   [&](int layer, int head) { seen.emplace_back(head, layer); });
  for (const int key : {Qt::Key_Left, Qt::Key_Left, Qt::Key_Right, Qt::Key_Down}) {
    QTest::keyClick(&view, static_cast<Qt::Key>(key));
  }
  const int row = seen.front().y();
  EXPECT_THAT(seen, ::testing::ElementsAre(QPoint(-1, row), QPoint(-1, row), QPoint(0, row),
                                           QPoint(0, std::min(2, row + 1))));
}

TEST_F(SharePageTest, ItsFigureHasACommandAndATable) {
  open(ShareKind::Complete);
  settle();
  choose(ShareReference::Knockout);
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_EQ(csvText(figure->table()), csvText(shareTable({measured(ShareKind::Complete)})));
  const FigureSource source{{{window_->workspace().models().all()[0].request, {}}},
                            window_->workspace().picture().get()->path,
                            0};
  EXPECT_THAT(figure->command(source, {}, "share.pdf"), HasSubstr("softscope figure share -m "));
  EXPECT_THAT(figure->command(source, {}, "share.pdf"),
              HasSubstr(" --share knockout -o share.pdf"));
  QTest::mouseClick(page().findChild<QCheckBox*>(), Qt::LeftButton, {}, {5, 8});
  settle();
  EXPECT_THAT(words(), HasSubstr("No knock-outs were made"));
  EXPECT_FALSE(page().figure());
  choose(ShareReference::Beside);
  ASSERT_TRUE(page().figure());
  EXPECT_THAT(page().figure()->command(source, {}, "share.pdf"),
              HasSubstr(" --share beside --no-knockouts -o share.pdf"));
  EXPECT_EQ(csvText(page().figure()->table()),
            csvText(shareTable({measured(ShareKind::Complete, false)})));
}

TEST_F(SharePageTest, SharesAreThereWhileKnockoutsAreMadeAndAfterTheyWereStopped) {
  open(ShareKind::Complete);
  slowToMeasure = true;
  ASSERT_TRUE(QTest::qWaitFor([this] { return measurements_ == 2; }, test::patience));
  QCoreApplication::processEvents();
  EXPECT_TRUE(page().view().isVisible());
  EXPECT_THAT(words(), HasSubstr("knock-outs: "));
  EXPECT_FALSE(page().figure());
  press("Stop measuring");
  settle();
  EXPECT_TRUE(page().view().isVisible());
  EXPECT_THAT(words(), HasSubstr("knock-outs: stopped, "));
  EXPECT_FALSE(page().figure());
  slowToMeasure = false;
  press("Measure again");
  settle();
  EXPECT_TRUE(page().figure());
  window_->workspace().setPage(QStringLiteral("heads"));
  window_->workspace().setPage(QStringLiteral("share"));
  settle();
  EXPECT_TRUE(page().figure());
  EXPECT_EQ(measurements_, 3) << "what is known is not measured again";
}

TEST_F(SharePageTest, SaysWhatIsNotThere) {
  open(ShareKind::WithoutHead);
  settle();
  EXPECT_EQ(measurements_, 1);
  EXPECT_TRUE(page().figure()) << "shares alone";
  EXPECT_THAT(words(), HasSubstr("a backbone without a head"));
  choose(ShareReference::Knockout);
  EXPECT_THAT(words(), HasSubstr("it predicts nothing"));
  EXPECT_FALSE(page().figure());
  open(ShareKind::WithoutConvolution);
  settle();
  choose(ShareReference::Beside);
  EXPECT_THAT(words(), HasSubstr("beside their attention"));
}

TEST_F(SharePageTest, OfALiveModelKnockOutsAreShownWhateverIsChosen) {
  open(ShareKind::WithoutNorms);
  settle();
  EXPECT_TRUE(page().view().isVisible());
  EXPECT_TRUE(page().figure());
  AnalysisSettings settings = window_->workspace().analysis().settings();
  settings.of<ShareSettings>().knockouts = false;
  window_->workspace().analysis().set(settings);
  settle();
  EXPECT_THAT(words(), HasSubstr("Make knock-outs"));
}

TEST_F(SharePageTest, WhatIsChosenIsKeptInTheWorkspace) {
  open(ShareKind::Complete);
  settle();
  choose(ShareReference::Knockout);
  const WorkspaceState state = window_->workspace().state();
  EXPECT_EQ(state.analysis.of<ShareSettings>().of, ShareReference::Knockout);
  const AnalysisSettings read = readAnalysis(analysisJson(state.analysis));
  EXPECT_EQ(read.of<ShareSettings>(), state.analysis.of<ShareSettings>());
  EXPECT_EQ(readAnalysis({}).of<ShareSettings>(), ShareSettings());
}

}  // namespace
}  // namespace softscope
