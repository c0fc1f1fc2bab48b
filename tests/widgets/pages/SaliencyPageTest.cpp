#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/SaliencyPage.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>

#include <gtest/gtest.h>

namespace softscope {
namespace {

float normOf(int head, int token, bool key) {
  return static_cast<float>((13 * token + 5 * head + (key ? 3 : 0)) % 29 + 1);
}

Matrix norms(int heads, int tokens, bool key) {
  Matrix values(heads, tokens);
  for (int head = 0; head < heads; ++head) {
    for (int token = 0; token < tokens; ++token) values(head, token) = normOf(head, token, key);
  }
  return values;
}

/// The synthetic layers: the first with keys that are the queries, the second with both, the third
/// with keys alone, since only its class token asks.
std::shared_ptr<const Inspection> inspectNorms(const Model&, const InputTensor&, const Progress&,
                                               const InspectionOptions&) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  auto& layers = inspection->layers;
  layers[0].queryL1 = layers[0].keyL1 = norms(2, 64, false);
  layers[1].queryL1 = norms(3, 16, false);
  layers[1].keyL1 = norms(3, 16, true);
  AttentionDescription classAttention = test::gridAttention(2, 4, 4, 1);
  classAttention.mechanism = "softmax_class";
  classAttention.queries = 1;
  classAttention.queryGrid.reset();
  layers[2].attention = test::syntheticMap(classAttention);
  layers[2].queryL1 = norms(2, 1, false);
  layers[2].keyL1 = norms(2, 17, true);
  return inspection;
}

class SaliencyPageTest : public test::WindowFixture {
 protected:
  SaliencyPageTest() {
    start(test::syntheticEngine(test::openSynthetic, inspectNorms),
          test::syntheticContent({"soft.pth"}, test::writeTestPicture(128, 64, "saliency.png")),
          {1280, 800});
    window_->workspace().setPage(QStringLiteral("saliency"));
    showLayer("block2.0.attn");
  }
  void showLayer(const std::string& name) {
    window_->workspace().layers().choose(name);
    QCoreApplication::processEvents();
  }
  SaliencyPage& page() { return *window_->findChild<SaliencyPage*>(); }
  HeadGrid& grid() { return *page().findChild<HeadGrid*>(); }
  void choose(int of) {
    auto& box = *page().findChild<QComboBox*>();
    box.setCurrentIndex(of);
    Q_EMIT box.activated(of);
    QCoreApplication::processEvents();
  }
  std::vector<QString> titles() {
    std::vector<QString> texts;
    for (int i = 0; i < grid().count(); ++i) texts.push_back(grid().view(i).panel().title);
    return texts;
  }
};

TEST_F(SaliencyPageTest, ShowsSumsOverHeadsAndTheNormsThatTheColoursEndAt) {
  ASSERT_EQ(grid().count(), 2);
  for (int side = 0; side < 2; ++side) {
    const HeadPanel& panel = grid().view(side).panel();
    float smallest = 1e9f;
    float largest = 0;
    for (int token = 0; token < 16; ++token) {
      float sum = 0;
      for (int head = 0; head < 3; ++head) sum += normOf(head, token, side == 1);
      EXPECT_FLOAT_EQ(panel.values.patches[token], sum);
      smallest = std::min(smallest, sum);
      largest = std::max(largest, sum);
    }
    EXPECT_FLOAT_EQ(panel.range.low, smallest);
    EXPECT_FLOAT_EQ(panel.range.high, largest);
    EXPECT_GT(grid().view(side).imageRect().width(), 200) << "as large as the page";
  }
}

TEST_F(SaliencyPageTest, ChoicesAreKeptAndShown) {
  QTest::mouseClick(page().findChild<QCheckBox*>(), Qt::LeftButton, {}, {8, 8});
  QCoreApplication::processEvents();
  EXPECT_EQ(grid().count(), 2 + 2 * 3);
  EXPECT_EQ(grid().displayedValues(3)[5], normOf(1, 5, false));
  EXPECT_EQ(grid().displayedValues(6)[5], normOf(1, 5, true));
  choose(2);
  EXPECT_EQ(window_->workspace().analysis().settings().of<SaliencySettings>(),
            (SaliencySettings{SaliencySide::Keys, true}));
  EXPECT_EQ(grid().count(), 1 + 3);
  EXPECT_EQ(titles()[0], QStringLiteral("keys"));
  // Heads that share a range, and sums that do not share theirs.
  ViewSettings view = window_->workspace().view().settings();
  view.normalisation = ViewSettings::Normalisation::Shared;
  window_->workspace().view().set(view);
  QCoreApplication::processEvents();
  EXPECT_EQ(grid().view(1).panel().range.high, grid().view(2).panel().range.high);
  EXPECT_GT(grid().view(0).panel().range.high, 2 * grid().view(1).panel().range.high);
}

TEST_F(SaliencyPageTest, KeysThatAreQueriesAreOnePanel) {
  showLayer("block1.0.attn");
  for (int of = 0; of < 3; ++of) {
    choose(of);
    EXPECT_EQ(titles(), std::vector<QString>{QStringLiteral("queries = keys")});
  }
}

TEST_F(SaliencyPageTest, WhereTheQueriesAreNoPatchesThereAreKeysOrWords) {
  showLayer("blocks.2.attn");
  EXPECT_EQ(titles(), std::vector<QString>{QStringLiteral("keys")});
  EXPECT_EQ(grid().displayedValues(0)[0], normOf(0, 1, true) + normOf(1, 1, true))
      << "the class token is no patch";
  choose(1);
  EXPECT_FALSE(page().hasFigure());
  EXPECT_FALSE(page().figure());
  const auto labels = page().findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->isVisible() && label->text().contains(QStringLiteral("choose its keys"));
  }));
  choose(0);
  EXPECT_TRUE(page().hasFigure());
}

TEST_F(SaliencyPageTest, AClickAsksThereAndHoveringReadsTheNorm) {
  HeadPanelView& view = grid().view(1);
  const QRectF image = view.imageRect();
  const QPointF place(image.left() + image.width() * 0.9, image.top() + image.height() * 0.1);
  QTest::mouseClick(&view, Qt::LeftButton, {}, place.toPoint());
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().queries().token(), 3);
  const QSignalSpy spy(&page(), &Page::readOut);
  QTest::mouseMove(&view, place.toPoint() + QPoint(1, 1));
  QCoreApplication::processEvents();
  ASSERT_FALSE(spy.isEmpty());
  const QString text = spy.back().front().toString();
  EXPECT_TRUE(text.startsWith(QStringLiteral("keys (summed), patch (0, 3): norm ")))
      << qPrintable(text);
  EXPECT_TRUE(text.contains(QStringLiteral("scaled")));
}

TEST_F(SaliencyPageTest, ItsFigureHasANameNumbersAndACommand) {
  choose(2);
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  const NamedArrays arrays = figure->arrays();
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].first, "soft.block2_0_attn.key_sum");
  EXPECT_EQ(arrays[0].second.shape, (std::vector<std::int64_t>{4, 4}));
  FigureSource source;
  source.picture = window_->workspace().picture().get()->path;
  const std::string command = figure->command(source, {}, "saliency.pdf");
  EXPECT_NE(command.find("figure saliency"), std::string::npos);
  EXPECT_NE(command.find("--layer block2.0.attn --only keys -o"), std::string::npos) << command;
}

TEST(SaliencyFigure, RefusesHeadsThatAreNotThere) {
  const auto inspection = inspectNorms(*test::syntheticModel({}), {}, {}, {});
  const AnalysedLayer layer{"soft", {}, inspection, 1, {}};
  EXPECT_THROW(computeSaliency({layer}, {}, {3}), InspectionError);
  EXPECT_EQ(computeSaliency({layer}, {}, {2}).front().heads, std::vector<int>{2});
}

}  // namespace
}  // namespace softscope
