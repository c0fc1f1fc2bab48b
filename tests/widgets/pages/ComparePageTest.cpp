#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/CompareBar.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/views/CompareLineView.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>
#include <QtWidgets/QCheckBox>

#include <gtest/gtest.h>

namespace softscope {
namespace {

std::shared_ptr<const Inspection> inspectAtItsSize(const Model& model, const InputTensor& input,
                                                   const Progress& progress,
                                                   const InspectionOptions& options) {
  auto inspection =
      std::make_shared<Inspection>(*test::inspectSynthetic(model, input, progress, options));
  inspection->inputHeight = input.height;
  inspection->inputWidth = input.width;
  return inspection;
}

class ComparePageTest : public test::WindowFixture {
 protected:
  ComparePageTest() {
    start(test::syntheticEngine(test::openSynthetic, inspectAtItsSize),
          test::syntheticContent({"first.pth", "second.pth"}), {1280, 800});
  }
  /// Whether the header of a model says that it was fed such a size.
  bool says(int line, const QString& size) {
    for (const auto* label : page().line(line).findChildren<ElidedLabel*>()) {
      if (label->text().startsWith(QStringLiteral("input %1").arg(size))) return true;
    }
    return false;
  }
  ComparePage& page() { return *window_->findChild<ComparePage*>(); }
};

TEST_F(ComparePageTest, AChangedInputIsMarkedWhereModelsSeeDifferentOnes) {
  EXPECT_FALSE(says(0, QStringLiteral("64 × 64")));
  EXPECT_FALSE(says(1, QStringLiteral("64 × 64")));
  window_->workspace().queue().setInputSize({InputSize::Kind::Whole, 96, 96});
  settle();
  EXPECT_TRUE(says(0, QStringLiteral("96 × 96")));
  EXPECT_TRUE(says(1, QStringLiteral("64 × 64")));
}

/// Panels fill the page: none could be larger with both lines in sight, whether headers stand left
/// of the panels or above them.
TEST_F(ComparePageTest, PanelsAreAsLargeAsThePageAllows) {
  window_->workspace().setPage(QStringLiteral("compare"));
  for (const QSize size : {QSize(1440, 900), QSize(1000, 900), QSize(1700, 700)}) {
    window_->resize(size);
    // Docks get their sizes after the window, and the page after them.
    const QWidget* viewport = page().line(0).parentWidget()->parentWidget();
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return page().line(1).geometry().bottom() <= viewport->height(); }, test::patience));
    const QRect sight = viewport->rect();
    const int larger = page().line(0).view(1).width() + 1;
    for (const auto header : CompareLineView::headerPlaces(sight.width())) {
      if (larger > CompareLineView::panelRoom(sight.width(), header)) continue;
      const int height = page().line(0).arrangedHeight(sight.width(), larger, header) +
                         page().line(1).arrangedHeight(sight.width(), larger, header);
      EXPECT_GT(height, sight.height()) << size.width() << " x " << size.height();
    }
  }
}

/// In a header that stands in a row, no part covers another.
TEST_F(ComparePageTest, PartsOfAHeaderStandApart) {
  window_->workspace().setPage(QStringLiteral("compare"));
  for (const int width : {900, 1440}) {
    window_->resize(width, 900);
    settle();
    std::vector<QRect> parts;
    for (const QWidget* part : page().line(0).findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
      if (part->isVisible()) parts.push_back(part->geometry());
    }
    ASSERT_GT(parts.size(), 4);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(parts[i].intersects(parts[k]));
    }
  }
}

TEST_F(ComparePageTest, CollectedHeadsStandSideBySideAndCanBeTakenOut) {
  OpenModels& models = window_->workspace().models();
  models.collect(0, {"block1.0.attn", 1});
  models.collect(0, {"block2.0.attn", 2});
  models.collect(1, {"block2.0.attn", 0});
  window_->workspace().setPage(QStringLiteral("compare"));
  settle();
  ASSERT_EQ(page().lineCount(), 3);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(page().line(i).panelCount(), 2);
  EXPECT_EQ(page().line(1).view(1).panel().values.head, 2);
  EXPECT_EQ(page().line(0).y(), page().line(2).y());
  EXPECT_LT(page().line(0).geometry().right(), page().line(1).view(1).mapTo(&page(), QPoint()).x());
  // One goes by its own button, the rest by that of all.
  Q_EMIT page().line(1).closed();
  settle();
  EXPECT_EQ(page().lineCount(), 2);
  EXPECT_EQ(models.all().size(), 2u) << "the models stay open";
  auto* bar = page().findChild<CompareBar*>();
  Q_EMIT bar->takeOutWanted();
  settle();
  ASSERT_EQ(page().lineCount(), 2);
  EXPECT_EQ(page().line(0).panelCount(), 4) << "the picture, two heads and their mean";
}

TEST_F(ComparePageTest, ManyCollectedHeadsGoOnBelow) {
  OpenModels& models = window_->workspace().models();
  for (const char* layer : {"block1.0.attn", "block2.0.attn", "blocks.2.attn"}) {
    for (int head = 0; head < 3; ++head) {
      models.collect(0, {layer, head});
      models.collect(1, {layer, head});
    }
  }
  window_->resize(900, 800);
  window_->workspace().setPage(QStringLiteral("compare"));
  settle();
  ASSERT_EQ(page().lineCount(), 14);
  const int width = page().line(0).parentWidget()->width();
  int rows = 1;
  for (int i = 1; i < page().lineCount(); ++i) {
    EXPECT_LE(page().line(i).geometry().right(), width);
    if (page().line(i).x() == page().line(0).x()) ++rows;
  }
  EXPECT_GT(rows, 1);
  EXPECT_LT(rows, 8);
}

TEST_F(ComparePageTest, HeadsAreCollectedWhileThePageIsInFront) {
  OpenModels& models = window_->workspace().models();
  window_->workspace().setPage(QStringLiteral("compare"));
  // The button that takes heads out may take the bar's next line.
  for (const int width : {820, 1000, 1200, 1440}) {
    window_->resize(width, 800);
    settle();
    for (int head = 0; head < 3; ++head) models.collect(1, {"block2.0.attn", head});
    settle();
    EXPECT_EQ(page().lineCount(), 3);
    models.takeAllOut();
    settle();
    EXPECT_EQ(page().lineCount(), 2);
  }
}

TEST_F(ComparePageTest, AFigureOfCollectedHeadsSaysThatNoCommandMakesIt) {
  window_->workspace().models().collect(0, {"block1.0.attn", 1});
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->models, std::vector<std::size_t>{0});
  EXPECT_EQ(figure->arrays().size(), 1u);
  EXPECT_THROW(figure->command({}, {}, "c.pdf"), Error);
  EXPECT_GT(figure->drawing.size({}).width(), 0);
}

TEST_F(ComparePageTest, HeadsOfASilencedModelAreNoReasonToHideChoices) {
  window_->workspace().setPage(QStringLiteral("compare"));
  const auto* means = [this]() -> const QCheckBox* {
    for (const auto* box : page().findChildren<QCheckBox*>()) {
      if (box->text() == QStringLiteral("Means")) return box;
    }
    return nullptr;
  }();
  ASSERT_TRUE(means);
  OpenModels& models = window_->workspace().models();
  models.collect(0, {"block1.0.attn", 1});
  settle();
  EXPECT_TRUE(means->isHidden());
  models.silence(0, true);
  settle();
  EXPECT_FALSE(means->isHidden());
  EXPECT_EQ(page().line(0).accessibleName(), QStringLiteral("second"));
}

TEST_F(ComparePageTest, ASilencedModelHasNoLine) {
  window_->workspace().models().silence(0, true);
  window_->workspace().setPage(QStringLiteral("compare"));
  settle();
  ASSERT_EQ(page().lineCount(), 1);
  EXPECT_EQ(page().line(0).accessibleName(), QStringLiteral("second"));
  EXPECT_EQ(page().figure()->models, std::vector<std::size_t>{1});
}

TEST_F(ComparePageTest, AModelWithAnotherMechanismIsOpenedAsTheFirstOneIsWanted) {
  ModelQueue& queue = window_->workspace().queue();
  queue.setAttention("nystrom");
  settle();
  queue.setSetting("landmarks", "32");
  settle();
  queue.setAttention("softmax");
  settle();
  window_->workspace().models().setCurrent(0);
  window_->workspace().layers().choose("block1.0.attn");
  // Still being opened.
  queue.setSetting("epsilon", "1e-3");
  Q_EMIT page().findChild<CompareBar*>()->mechanismWanted(QStringLiteral("nystrom"));
  settle();
  ASSERT_EQ(window_->workspace().models().all().size(), 3u);
  const OpenedModel& opened = window_->workspace().models().all().back();
  EXPECT_EQ(opened.request.attention, "nystrom");
  EXPECT_EQ(opened.request.landmarks, (LandmarkChoice{LandmarkSource::Trained, 32}));
  EXPECT_EQ(opened.request.epsilon, "1e-3");
  EXPECT_EQ(opened.layer, "block1.0.attn");
}

TEST_F(ComparePageTest, ADifferenceSaysHowItsValuesCameAbout) {
  Workspace& workspace = window_->workspace();
  workspace.setPage(QStringLiteral("compare"));
  Comparison comparison = workspace.comparison().settings();
  comparison.linkedLayers = false;
  comparison.difference = Comparison::Difference::Raw;
  workspace.comparison().set(comparison);
  workspace.layers().chooseFor(0, "block1.0.attn");
  workspace.layers().chooseFor(1, "block2.0.attn");
  settle();
  ASSERT_EQ(page().lineCount(), 3);
  QStringList texts;
  for (const auto* label : page().line(2).findChildren<ElidedLabel*>()) {
    if (label->isVisible()) texts += label->text();
  }
  const QString said = texts.join(u'|');
  EXPECT_TRUE(said.contains(QStringLiteral("means, as heads are not as many")))
      << said.toStdString();
  EXPECT_TRUE(said.contains(QStringLiteral("8 × 8"))) << said.toStdString();
}

}  // namespace
}  // namespace softscope
