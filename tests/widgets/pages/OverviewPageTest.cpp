#include "app/window/MainWindow.h"
#include "core/analysis/LineMeasures.h"
#include "core/analysis/sinks/AttentionSink.h"
#include "core/image/ColorMap.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/pages/OverviewPage.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/HeadWallView.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QMouseEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace softscope {
namespace {

class OverviewPageTest : public test::WindowFixture {
 protected:
  OverviewPageTest() {
    Engine engine = test::syntheticEngine();
    // Of each layer, the second head adds a tenth of what the first adds.
    engine.measureShare = [](const Model& model, const InputTensor&, const ShareRequest&,
                             const Progress&) {
      auto share = std::make_shared<ModelShare>();
      for (const LayerSummary& summary : model.summary().layers) {
        LayerShare layer;
        layer.layer = summary.name;
        layer.residualNorm = 1;
        layer.heads.resize(static_cast<std::size_t>(summary.heads));
        for (std::size_t i = 0; i < layer.heads.size(); ++i) {
          layer.heads[i].projectedNorm = i == 1 ? 0.1 : 1;
        }
        share->layers.push_back(layer);
      }
      return std::shared_ptr<const ModelShare>(share);
    };
    start(engine, test::syntheticContent({"first.pth"}), {1280, 800});
    window_->workspace().setPage(QStringLiteral("overview"));
    settle();
  }
  OverviewPage& page() { return *window_->findChild<OverviewPage*>(); }
  HeadWallView& wall() { return page().wall(); }
  void choose(const OverviewSettings& chosen) {
    AnalysisSettings settings = window_->workspace().analysis().settings();
    settings.of<OverviewSettings>() = chosen;
    window_->workspace().analysis().set(settings);
    settle();
  }
  void press(int layer, int index) {
    QTest::mouseClick(wall().viewport(), Qt::LeftButton, {},
                      wall().thumbnailRect(layer, index).center().toPoint());
    QCoreApplication::processEvents();
  }
};

TEST_F(OverviewPageTest, IsAWallOfEveryHeadWithinThePage) {
  ASSERT_TRUE(wall().isVisible());
  ASSERT_EQ(wall().rows().size(), 3u);
  for (int layer = 0; layer < 3; ++layer) {
    const auto& heads = wall().rows()[static_cast<std::size_t>(layer)].heads;
    ASSERT_EQ(heads.size(), layer == 1 ? 3u : 2u);
    for (int i = 0; i < static_cast<int>(heads.size()); ++i) {
      const QRectF rect = wall().thumbnailRect(layer, i);
      EXPECT_TRUE(QRectF(wall().rect()).contains(rect)) << layer << ", " << i;
      EXPECT_NEAR(rect.width() / rect.height(), 2, 0.1) << "the picture's proportions";
    }
  }
  const QRectF all =
      wall().thumbnailRect(0, 0) | wall().thumbnailRect(1, 2) | wall().thumbnailRect(2, 1);
  EXPECT_GT(std::max(all.height() / wall().height(), all.width() / wall().width()), 0.75)
      << "as large as the page allows";
}

TEST_F(OverviewPageTest, AThumbnailHasAPixelInTheColourOfEachValueAndFollowsTheQuery) {
  Workspace& workspace = window_->workspace();
  for (const Patch& patch : {Patch{0, 0}, Patch{5, 2}}) {
    workspace.queries().askPatch(patch);
    QCoreApplication::processEvents();
    const LayerInspection& layer = workspace.models().current()->inspection->layers[0];
    const Vector row = layer.attention->row(1, workspace.queries().token());
    const HeadThumbnail& thumbnail = wall().rows()[0].heads[1];
    ASSERT_EQ(thumbnail.image.size(), QSize(8, 8));
    Eigen::Index largest = 0;
    Eigen::Index smallest = 0;
    row.maxCoeff(&largest);
    row.minCoeff(&smallest);
    const ColorMap& colors = colorMap(workspace.view().settings().colorMap);
    const auto pixel = [&](Eigen::Index token) {
      return thumbnail.image.pixelColor(static_cast<int>(token % 8), static_cast<int>(token / 8));
    };
    const auto color = [](const ColorMap::Color& c) { return QColor(c[0], c[1], c[2]); };
    EXPECT_EQ(pixel(largest), color(colors.at(1)));
    EXPECT_EQ(pixel(smallest), color(colors.at(0)));
    ASSERT_TRUE(thumbnail.query);
    EXPECT_NEAR(thumbnail.query->x(), (patch.column + 0.5) / 8, 1e-6);
    EXPECT_NEAR(thumbnail.query->y(), (patch.row + 0.5) / 8, 1e-6);
  }
}

TEST_F(OverviewPageTest, DimsHeadsThatAddLittle) {
  ASSERT_EQ(wall().rows().size(), 3u);
  for (const HeadThumbnails& row : wall().rows()) {
    EXPECT_EQ(row.heads[0].strength, 1);
    EXPECT_EQ(row.heads[1].strength, 0.2) << "never invisible";
  }
}

TEST_F(OverviewPageTest, SortsTheHeadsOfEachLayerByTheMeasure) {
  choose({.of = OverviewMeasure::Entropy, .numbers = true});
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  const Table table = figure->table();
  choose({.of = OverviewMeasure::Entropy, .sorted = true});
  const auto numberOf = [&](std::size_t layer, int head) {
    std::size_t line = 0;
    for (std::size_t before = 0; before < layer; ++before) {
      line += wall().rows()[before].heads.size();
    }
    return std::get<double>(table.rows[line + static_cast<std::size_t>(head)][3]);
  };
  ASSERT_EQ(wall().rows().size(), 3u);
  for (std::size_t layer = 0; layer < wall().rows().size(); ++layer) {
    const auto& heads = wall().rows()[layer].heads;
    for (std::size_t i = 1; i < heads.size(); ++i) {
      EXPECT_GE(numberOf(layer, heads[i - 1].head), numberOf(layer, heads[i].head));
    }
  }
}

TEST_F(OverviewPageTest, SortedHeadsHaveTheirNumbers) {
  EXPECT_FALSE(wall().rows().front().isSorted);
  choose({.of = OverviewMeasure::Entropy, .sorted = true});
  for (const HeadThumbnails& row : wall().rows()) EXPECT_TRUE(row.isSorted);
}

TEST_F(OverviewPageTest, SortsTheHeadsByWhatTheyAdd) {
  choose({.sorted = true, .order = HeadOrder::Share});
  ASSERT_EQ(wall().rows().size(), 3u);
  for (const HeadThumbnails& row : wall().rows()) {
    EXPECT_EQ(row.heads.back().head, 1) << "adds a tenth of the others";
    EXPECT_EQ(row.heads.front().head, 0) << "equals stay as they are";
  }
}

TEST_F(OverviewPageTest, SortsTheHeadsBySinksAndLineScores) {
  const Inspection& inspection = *window_->workspace().models().current()->inspection;
  for (const HeadOrder order : {HeadOrder::Sink, HeadOrder::LineScore}) {
    choose({.sorted = true, .order = order});
    int differing = 0;
    for (std::size_t layer = 0; layer < wall().rows().size(); ++layer) {
      const auto numberOf = [&](int head) {
        const LayerInspection& of = inspection.layers[layer];
        if (order == HeadOrder::LineScore) return lineScores(*of.attention, head).raw;
        const auto sink = attentionSink(of, head);
        return sink ? std::optional(sink->share) : std::nullopt;
      };
      const auto& heads = wall().rows()[layer].heads;
      for (std::size_t i = 1; i < heads.size(); ++i) {
        EXPECT_GE(numberOf(heads[i - 1].head), numberOf(heads[i].head));
        differing += numberOf(heads[i - 1].head) != numberOf(heads[i].head) ? 1 : 0;
      }
    }
    EXPECT_GT(differing, 0);
  }
}

TEST_F(OverviewPageTest, AClickEnlargesAHeadAndEscOrAClickCloses) {
  Workspace& workspace = window_->workspace();
  EXPECT_FALSE(page().enlarged().isVisible());
  press(1, 2);
  ASSERT_TRUE(page().enlarged().isVisible());
  EXPECT_EQ(page().enlarged().panel().title, QStringLiteral("block2.0, head 2"));
  EXPECT_EQ(workspace.page(), QStringLiteral("overview")) << "in place";
  workspace.queries().askPatch({0, 0});
  QCoreApplication::processEvents();
  EXPECT_EQ(page().enlarged().panel().values.patches,
            workspace.models().current()->inspection->layers[1].attention->row(2, 0))
      << "and follows the query";
  QTest::keyClick(&wall(), Qt::Key_Escape);
  EXPECT_FALSE(page().enlarged().isVisible());
  press(0, 0);
  ASSERT_TRUE(page().enlarged().isVisible());
  QTest::mouseClick(wall().viewport(), Qt::LeftButton, {}, {2, 2});
  EXPECT_FALSE(page().enlarged().isVisible());
  press(1, 1);
  Q_EMIT page().enlarged().chosen(false);
  EXPECT_EQ(workspace.page(), QStringLiteral("heads"));
  EXPECT_EQ(workspace.models().current()->layer, "block2.0.attn");
  EXPECT_EQ(workspace.view().onlyHead(), 1);
}

TEST_F(OverviewPageTest, ReadsTheValueUnderThePointer) {
  QSignalSpy read(&page(), &Page::readOut);
  const QRectF rect = wall().thumbnailRect(0, 1);
  const QPointF at = rect.topLeft() + QPointF(2, 2);
  QMouseEvent move(QEvent::MouseMove, at, wall().mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QCoreApplication::sendEvent(wall().viewport(), &move);
  ASSERT_GT(read.count(), 0);
  const QString text = read.back().front().toString();
  EXPECT_TRUE(text.startsWith(QStringLiteral("block1.0, head 1, key (0, 0): ")))
      << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("pixels"))) << "and the head's measure";
}

TEST_F(OverviewPageTest, NumbersAreAChoice) {
  choose({.numbers = true});
  EXPECT_FALSE(wall().isVisible());
  EXPECT_TRUE(page().view().isVisible());
  EXPECT_FALSE(page().followedView());
  choose({});
  EXPECT_TRUE(wall().isVisible());
  EXPECT_TRUE(page().followedView());
}

TEST_F(OverviewPageTest, HeadsAreCollectedAndTakenOutByShiftAndAClick) {
  const auto shiftPress = [this](int layer, int index) {
    QTest::mouseClick(wall().viewport(), Qt::LeftButton, Qt::ShiftModifier,
                      wall().thumbnailRect(layer, index).center().toPoint());
    QCoreApplication::processEvents();
  };
  const auto& marks = window_->workspace().models().current()->marks;
  shiftPress(1, 2);
  EXPECT_EQ(marks.collected, (std::vector<HeadOfLayer>{{"block2.0.attn", 2}}));
  EXPECT_TRUE(wall().rows()[1].heads[2].isCollected);
  EXPECT_FALSE(wall().rows()[1].heads[1].isCollected);
  EXPECT_TRUE(page().enlarged().isHidden());
  shiftPress(1, 2);
  EXPECT_TRUE(window_->workspace().models().current()->marks.collected.empty());
  EXPECT_FALSE(wall().rows()[1].heads[2].isCollected);
}

TEST_F(OverviewPageTest, TheHeadThatIsSeenIsCollectedWhateverTheOrder) {
  OverviewSettings sorted;
  sorted.sorted = true;
  sorted.order = HeadOrder::Share;
  choose(sorted);
  for (int index = 0; index < 3; ++index) {
    const int head = wall().rows()[1].heads[static_cast<std::size_t>(index)].head;
    Q_EMIT wall().collectWanted(1, index);
    EXPECT_EQ(window_->workspace().models().current()->marks.collected.back().head, head);
  }
}

TEST_F(OverviewPageTest, ChoicesWithoutAnEffectSayWhy) {
  const auto combo = [this](const QString& name) {
    for (auto* box : page().findChildren<QComboBox*>()) {
      if (box->accessibleName() == name) return box;
    }
    throw std::runtime_error(name.toStdString());
  };
  OverviewSettings wall;
  choose(wall);
  QComboBox* of = combo(QStringLiteral("Measure"));
  EXPECT_FALSE(of->isEnabled());
  const QString reason = of->toolTip();
  EXPECT_FALSE(reason.isEmpty());
  EXPECT_FALSE(combo(QStringLiteral("Order"))->isEnabled());
  wall.sorted = true;
  choose(wall);
  EXPECT_TRUE(of->isEnabled());
  EXPECT_NE(of->toolTip(), reason);
  EXPECT_TRUE(combo(QStringLiteral("Order"))->isEnabled());
  wall.order = HeadOrder::Sink;
  choose(wall);
  EXPECT_FALSE(of->isEnabled());
  wall.numbers = true;
  choose(wall);
  EXPECT_TRUE(of->isEnabled());
  EXPECT_FALSE(combo(QStringLiteral("Order"))->isEnabled());
}

TEST_F(OverviewPageTest, AnEnlargedHeadMarksThePatchOfItsOwnLayer) {
  window_->workspace().queries().ask({0.3, 0.7});
  QCoreApplication::processEvents();
  press(1, 2);
  ASSERT_TRUE(page().enlarged().panel().query);
  EXPECT_DOUBLE_EQ(page().enlarged().panel().query->patch.width(), 1.0 / 4)
      << "the chosen layer has patches of half that width";
}

TEST_F(OverviewPageTest, ExportsWhatItShows) {
  choose({});
  const auto maps = page().figure();
  ASSERT_TRUE(maps);
  EXPECT_FALSE(maps->table);
  std::size_t heads = 0;
  for (const HeadThumbnails& row : wall().rows()) heads += row.heads.size();
  EXPECT_GE(maps->arrays().size(), heads);
  FigureSource source;
  source.picture = test::writeTestPicture(128, 64);
  const std::string command = maps->command(source, {}, "heads.pdf");
  EXPECT_NE(command.find("softscope figure heads "), std::string::npos) << command;
  EXPECT_NE(command.find(" --at "), std::string::npos) << command;
  EXPECT_TRUE(maps->commandNote.isEmpty());
  choose({.numbers = true});
  const auto numbers = page().figure();
  ASSERT_TRUE(numbers);
  EXPECT_TRUE(numbers->table);
  EXPECT_NE(numbers->command(source, {}, "overview.pdf").find("softscope figure overview "),
            std::string::npos);
}

TEST_F(OverviewPageTest, ExportsHeadsInTheOrderInWhichTheyAreShown) {
  choose({.sorted = true, .order = HeadOrder::Share});
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  std::vector<std::string> names;
  for (const auto& [name, array] : figure->arrays()) {
    if (name.starts_with("block2")) names.push_back(name.substr(name.rfind('.') + 1));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"head_0", "head_2", "head_1"}))
      << "head 1 adds a tenth of the others";
  FigureSettings settings;
  const QByteArray svg =
      figureSvg(figure->drawing.size(settings), 100, [&](QPainter& painter, const QRectF& place) {
        figure->drawing.paint(painter, place, settings);
      });
  EXPECT_TRUE(svg.contains("the largest share first"));
  const auto last = svg.lastIndexOf("head 2");
  EXPECT_GE(last, 0);
  EXPECT_GT(svg.indexOf("head 1", last), last);
  EXPECT_FALSE(figure->commandNote.isEmpty()) << "the command sorts nothing";
}

// A figure compares all rows of all layers, which the window must not wait for.
TEST_F(OverviewPageTest, ComparesTheRowsOfAFigureInTheBackground) {
  EXPECT_TRUE(page().hasFigure());
  Workspace& workspace = window_->workspace();
  QStringList steps;
  QObject::connect(&workspace.worker(), &Worker::progressed, &page(),
                   [&](const QString& what, double) { steps += what; });
  ModelRequest request;
  request.path = "second.pth";
  workspace.queue().open(request);
  settle();
  EXPECT_TRUE(page().hasFigure());
  EXPECT_FALSE(steps.filter(QStringLiteral("Comparing rows")).isEmpty())
      << steps.join(u'\n').toStdString();
}

}  // namespace
}  // namespace softscope
