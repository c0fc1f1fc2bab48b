#include "core/model/ModelSummary.h"
#include "tests/core/SyntheticAttention.h"
#include "widgets/panels/LayerTree.h"

#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

constexpr int mechanismColumn = 1;

ModelSummary summaryOf(const std::string& mechanism) {
  ModelSummary summary;
  for (const char* name : {"stage2.nonlocal0", "stage2.nonlocal1", "stage2.nonlocal2"}) {
    LayerSummary layer;
    layer.name = name;
    layer.stage = 2;
    layer.mechanism = mechanism;
    layer.heads = 4;
    summary.layers.push_back(layer);
  }
  return summary;
}

TEST(LayerTree, MechanismsMakeRoomForNames) {
  LayerTree tree;
  tree.setLayers(summaryOf("nonlocal_scaled_magnitude"), nullptr);
  tree.show();
  tree.resize(800, 200);
  EXPECT_FALSE(tree.isColumnHidden(mechanismColumn));
  const int wide = tree.columnWidth(0);
  tree.resize(tree.width() - wide + 60, 200);
  EXPECT_TRUE(tree.isColumnHidden(mechanismColumn));
  EXPECT_GT(tree.columnWidth(0), tree.fontMetrics().horizontalAdvance("stage2.nonlocal0"));
  tree.setLayers(summaryOf("sima"), nullptr);
  EXPECT_FALSE(tree.isColumnHidden(mechanismColumn));
}

TEST(LayerTree, MechanismsAreShortenedWhereNoStageNamesThem) {
  ModelSummary summary = summaryOf("sima_unnormalised");
  for (LayerSummary& layer : summary.layers) layer.stage = 1;
  LayerTree tree;
  tree.setLayers(summary, nullptr);
  tree.show();
  tree.resize(800, 200);
  const int whole = tree.columnWidth(mechanismColumn);
  tree.resize(tree.width() - tree.columnWidth(0) + 100, 200);
  EXPECT_FALSE(tree.isColumnHidden(mechanismColumn));
  EXPECT_LT(tree.columnWidth(mechanismColumn), whole);
  EXPECT_GT(tree.columnWidth(0), tree.fontMetrics().horizontalAdvance("stage2.nonlocal0"));
}

TEST(LayerTree, LinesGrowWithTheLetters) {
  LayerTree tree;
  tree.setLayers(summaryOf("sima"), nullptr);
  tree.resize(400, 300);
  tree.show();
  const auto lineHeight = [&tree] {
    return tree.visualItemRect(tree.topLevelItem(0)->child(0)).height();
  };
  const int before = lineHeight();
  QFont large = tree.font();
  large.setPointSizeF(2.5 * large.pointSizeF());
  tree.setFont(large);
  QCoreApplication::processEvents();
  EXPECT_GE(lineHeight(), tree.fontMetrics().height());
  EXPECT_GT(lineHeight(), before);
}

TEST(LayerTree, AStagesTitleLeavesTheLayerChosen) {
  LayerTree tree;
  tree.setLayers(summaryOf("nonlocal"), nullptr);
  tree.setCurrentLayer("stage2.nonlocal1");
  tree.resize(400, 300);
  tree.show();
  const QList<QTreeWidgetItem*> chosen = tree.selectedItems();
  ASSERT_EQ(chosen.size(), 1);
  QTreeWidgetItem* stage = tree.topLevelItem(0);
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualItemRect(stage).center());
  EXPECT_EQ(tree.selectedItems(), chosen);
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, QPoint(200, 280));
  EXPECT_EQ(tree.selectedItems(), chosen);
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                    tree.visualItemRect(stage->child(2)).center());
  ASSERT_EQ(tree.selectedItems().size(), 1);
  EXPECT_EQ(tree.selectedItems().front(), stage->child(2));
}

TEST(LayerTree, CountsTokensBeforeAndBehindThePatches) {
  constexpr int tokensColumn = 3;
  ModelSummary summary = summaryOf("softmax");
  summary.layers.resize(1);
  const auto shown = [&](const AttentionDescription& description) {
    Inspection inspection;
    inspection.layers.push_back(
        {.name = summary.layers[0].name, .attention = test::syntheticMap(description)});
    LayerTree tree;
    tree.setLayers(summary, &inspection);
    QTreeWidgetItem* item = tree.topLevelItem(0);
    while (item->childCount() > 0) item = item->child(0);
    return item->text(tokensColumn);
  };
  EXPECT_EQ(shown(test::gridAttention(2, 4, 4)), QStringLiteral("4 × 4"));
  EXPECT_EQ(shown(test::gridAttention(2, 4, 4, 1)), QStringLiteral("4 × 4 + 1"));
  AttentionDescription behind = test::gridAttention(2, 4, 4);
  behind.queries = behind.keys = 17;
  behind.suffixTokens = 1;
  EXPECT_EQ(shown(behind), QStringLiteral("4 × 4 + 1"));
  AttentionDescription pool = behind;
  pool.queries = 1;
  pool.queryGrid.reset();
  EXPECT_EQ(shown(pool), QStringLiteral("4 × 4 + 1")) << "of the keys";
}

ModelSummary summaryOfEightBlocks() {
  ModelSummary summary = summaryOf("sima_unnormalised");
  summary.layers.resize(1);
  summary.layers[0].stage = 1;
  for (int i = 1; i < 8; ++i) {
    summary.layers.push_back(summary.layers[0]);
    summary.layers.back().name = "blocks." + std::to_string(i);
  }
  return summary;
}

TEST(LayerTree, AFewLongNamesLeaveTheMechanismsWhole) {
  ModelSummary summary = summaryOfEightBlocks();
  summary.layers.push_back(summary.layers[0]);
  summary.layers.back().name = "cls_attn_blocks_with_a_long_name.0.attn";
  LayerTree tree;
  tree.setLayers(summary, nullptr);
  tree.show();
  tree.resize(1200, 200);
  const int whole = tree.columnWidth(mechanismColumn);
  tree.resize(tree.width() - tree.columnWidth(0) + 180, 200);
  EXPECT_EQ(tree.columnWidth(mechanismColumn), whole);
}

TEST(LayerTree, WhereNamesAndMechanismsWouldBothBeCutNamesStayWhole) {
  ModelSummary summary = summaryOfEightBlocks();
  const QString longest = QStringLiteral("cls_attn_blocks.0");
  summary.layers[0].name = longest.toStdString();
  LayerTree tree;
  tree.setLayers(summary, nullptr);
  tree.show();
  tree.resize(1200, 400);
  const int others = tree.columnWidth(2) + tree.columnWidth(3);
  const int name = tree.fontMetrics().horizontalAdvance(longest);
  for (int width = others + name + 40; width < others + 2 * name + 200; ++width) {
    tree.resize(width, 400);
    const bool isWhole = tree.columnWidth(0) >= name;
    const bool isMechanismWhole =
        !tree.isColumnHidden(mechanismColumn) &&
        tree.columnWidth(mechanismColumn) >=
            static_cast<const QAbstractItemView&>(tree).sizeHintForColumn(mechanismColumn);
    EXPECT_TRUE(isWhole || isMechanismWhole) << width;
  }
  EXPECT_TRUE(tree.topLevelItem(0)->toolTip(0).contains(tree.topLevelItem(0)->text(1)));
}

TEST(LayerTree, TokensAndHeadsMakeRoomForNames) {
  constexpr int headsColumn = 2;
  constexpr int tokensColumn = 3;
  LayerTree tree;
  tree.setLayers(summaryOf("sima"), nullptr);
  tree.show();
  tree.resize(800, 200);
  EXPECT_FALSE(tree.isColumnHidden(headsColumn));
  EXPECT_FALSE(tree.isColumnHidden(tokensColumn));
  const int heads = tree.columnWidth(headsColumn);
  QFont large = tree.font();
  large.setPointSizeF(1.6 * large.pointSizeF());
  tree.setFont(large);
  tree.resize(220 + heads, 200);
  QCoreApplication::processEvents();
  EXPECT_TRUE(tree.isColumnHidden(tokensColumn));
  tree.resize(220, 200);
  QCoreApplication::processEvents();
  EXPECT_TRUE(tree.isColumnHidden(headsColumn));
  EXPECT_GE(tree.columnWidth(0), tree.fontMetrics().horizontalAdvance("stage2.nonlocal0"));
}

TEST(LayerTree, TheChosenLayerStaysInSightInALowerTree) {
  ModelSummary summary = summaryOf("sima");
  for (int i = 3; i < 40; ++i) {
    summary.layers.push_back(summary.layers[0]);
    summary.layers.back().name = "stage2.nonlocal" + std::to_string(i);
  }
  LayerTree tree;
  tree.setLayers(summary, nullptr);
  tree.show();
  tree.resize(400, 500);
  tree.setCurrentLayer("stage2.nonlocal15");
  tree.resize(400, 150);
  QCoreApplication::processEvents();
  EXPECT_TRUE(tree.viewport()->rect().contains(tree.visualItemRect(tree.currentItem())));
}

TEST(LayerTree, TheFocusHasARing) {
  LayerTree tree;
  tree.setLayers(summaryOf("sima"), nullptr);
  tree.setCurrentLayer("stage2.nonlocal1");
  tree.resize(400, 200);
  tree.show();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&tree));
  const auto edge = [&tree] {
    const QRect row = tree.visualItemRect(tree.currentItem());
    const QImage image = tree.viewport()->grab().toImage();
    return image.pixelColor(row.center().x() * 2 / 3, row.top()).rgb();
  };
  tree.setFocus();
  const QRgb focused = edge();
  EXPECT_EQ(focused, tree.palette().color(QPalette::Text).rgb());
  tree.clearFocus();
  EXPECT_NE(edge(), focused);
}

}  // namespace
}  // namespace softscope
