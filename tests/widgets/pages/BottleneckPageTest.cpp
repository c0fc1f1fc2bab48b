#include "app/window/MainWindow.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/WholeText.h"
#include "widgets/pages/BottleneckPage.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSpinBox>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

/// Tokens that are told apart, [tokens, 2].
Matrix tokens(int head, int count) {
  Matrix values(count, 2);
  for (int i = 0; i < count; ++i) {
    values(i, 0) = 0.31f * static_cast<float>((7 * i + head) % 11);
    values(i, 1) = 0.23f * static_cast<float>((5 * i + 3 * head) % 13);
  }
  return values;
}

Matrix gaussian(const Matrix& a, const Matrix& b) {
  Matrix kernel(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      kernel(i, j) = std::exp(-(a.row(i) - b.row(j)).squaredNorm() / 2);
    }
  }
  return kernel;
}

/// Two heads of SOFT++ on 4 x 4 patches with 2 x 2 landmarks.
LayerInspection landmarkSoftLayer(const std::string& name) {
  AttentionDescription description = test::gridAttention(2, 4, 4);
  description.mechanism = "soft++";
  description.landmarks = 4;
  description.landmarkGrid = TokenGrid{2, 2};
  description.parameters["ratio"] = 2;
  LayerInspection layer;
  layer.name = name;
  std::vector<Matrix> left;
  std::vector<Matrix> middle;
  std::vector<Matrix> query;
  for (int head = 0; head < 2; ++head) {
    query.push_back(tokens(head, 16));
    const Matrix landmarks = tokens(head + 4, 4);
    left.push_back(gaussian(query.back(), landmarks));
    layer.bottleneck.push_back(gaussian(landmarks, landmarks));
    layer.bottleneckInverse.push_back(Matrix::Identity(4, 4) * 0.5f);
    middle.push_back(Matrix::Identity(4, 4) * 0.25f);
  }
  const MatrixStack factors(left);
  layer.attention =
      std::make_shared<FactoredMap>(description, factors, MatrixStack(middle), factors);
  const MatrixStack queries(query);
  layer.exactKernel = std::make_shared<KernelMap>(test::gridAttention(2, 4, 4),
                                                  KernelMap::Kernel::Gaussian, queries, queries, 1);
  return layer;
}

std::shared_ptr<const Inspection> inspectBottleneck(const Model&, const InputTensor&,
                                                    const Progress&, const InspectionOptions&) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  inspection->layers[1] = landmarkSoftLayer("block2.0.attn");
  return inspection;
}

class BottleneckPageTest : public test::WindowFixture {
 protected:
  BottleneckPageTest() {
    start(test::syntheticEngine(test::openSynthetic, inspectBottleneck),
          test::syntheticContent({"soft.pth"}, test::writeTestPicture(128, 64, "bottleneck.png")),
          {1280, 800});
    window_->workspace().layers().choose("block2.0.attn");
    window_->workspace().setPage(QStringLiteral("bottleneck"));
    settle();
  }
  BottleneckPage& page() { return *window_->findChild<BottleneckPage*>(); }
  HeadGrid& grid() { return *page().findChild<HeadGrid*>(); }
  QSpinBox& landmark() { return *page().findChild<QSpinBox*>(); }
  QComboBox& box(const QString& name) {
    for (auto* box : page().findChildren<QComboBox*>()) {
      if (box->accessibleName() == name) return *box;
    }
    ADD_FAILURE() << "no choice of " << name.toStdString();
    return *page().findChild<QComboBox*>();
  }
  void choose(const QString& name, int index) {
    box(name).setCurrentIndex(index);
    Q_EMIT box(name).activated(index);
    settle();
  }
  const LayerInspection& layer() {
    return window_->workspace().models().current()->inspection->layers[1];
  }
  void click(int panel, double x, double y) {
    HeadPanelView& view = grid().view(panel);
    const QRectF image = view.imageRect();
    const QPointF place(image.left() + image.width() * x, image.top() + image.height() * y);
    QTest::mouseClick(&view, Qt::LeftButton, {}, place.toPoint());
    settle();
  }
  QString shownText() {
    QString text;
    for (const QLabel* label : page().findChildren<QLabel*>()) {
      if (label->isVisible()) text += test::wholeText(*label);
    }
    return text;
  }
};

TEST_F(BottleneckPageTest, ShowsLandmarksAColumnOfPTheMatrixAndItsEigenvalues) {
  ASSERT_EQ(grid().count(), 3);
  const HeadPanel& column = grid().view(1).panel();
  EXPECT_EQ(
      column.values.patches,
      Vector(
          dynamic_cast<const FactoredMap&>(*layer().attention).left()[0].col(landmark().value())));
  const HeadPanel& matrix = grid().view(2).panel();
  EXPECT_EQ(matrix.values.at(1, 3), layer().bottleneck[0](1, 3));
  EXPECT_FALSE(matrix.values.onPicture);
  PlotBoard& board = *page().findChild<PlotBoard*>();
  ASSERT_EQ(board.plotCount(), 1);
  const BottleneckEigenvalues expected = bottleneckEigenvalues(layer().bottleneck[0]);
  const HeadBottleneck bottleneck =
      computeBottlenecks({{"soft", {}, window_->workspace().models().current()->inspection, 1, {}}},
                         {0})
          .front();
  const Plot plot = eigenvaluePlot(bottleneck);
  ASSERT_EQ(plot.curves.size(), 2u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plot.curves[0].y[i], std::abs(expected.ofKernel[i]));
    EXPECT_EQ(plot.curves[1].y[i], std::abs(expected.ofNormalised[i]));
  }
  const int near = countNearOne(expected.ofNormalised);
  EXPECT_TRUE(plot.note.startsWith(QStringLiteral("k = %1 at").arg(near))) << qPrintable(plot.note);
  EXPECT_TRUE(plot.note.contains(QStringLiteral("0.05"))) << "its tolerance";
}

TEST_F(BottleneckPageTest, AClickAnArrowAndTheBoxChooseALandmark) {
  const PictureQuery before = window_->workspace().queries().query();
  click(0, 0.1, 0.1);
  EXPECT_EQ(landmark().value(), 0);
  EXPECT_EQ(window_->workspace().analysis().settings().of<BottleneckSettings>().landmark, 0);
  click(1, 0.9, 0.9);
  EXPECT_EQ(landmark().value(), 3);
  EXPECT_EQ(grid().view(0).panel().title, QStringLiteral("landmark 3"));
  QTest::keyClick(&grid(), Qt::Key_Left);
  settle();
  EXPECT_EQ(landmark().value(), 2);
  QTest::keyClick(&grid(), Qt::Key_Up);
  settle();
  EXPECT_EQ(landmark().value(), 0);
  QTest::keyClick(&grid(), Qt::Key_Up);
  settle();
  EXPECT_EQ(landmark().value(), 0) << "there is none above";
  landmark().setValue(1);
  settle();
  EXPECT_EQ(grid().view(1).panel().title, QStringLiteral("column 1 of P"));
  EXPECT_EQ(window_->workspace().queries().query(), before) << "no query was asked";
}

TEST_F(BottleneckPageTest, AnotherHeadHasAnotherMatrix) {
  EXPECT_EQ(box(QStringLiteral("Head")).count(), 2);
  choose(QStringLiteral("Head"), 1);
  EXPECT_EQ(grid().view(2).panel().values.at(1, 3), layer().bottleneck[1](1, 3));
  EXPECT_EQ(window_->workspace().analysis().settings().of<BottleneckSettings>().head, 1);
}

TEST_F(BottleneckPageTest, TheExactKernelStandsBesideWhatApproximatesIt) {
  choose(QStringLiteral("View"), 1);
  EXPECT_FALSE(landmark().isVisible());
  ASSERT_EQ(grid().count(), 4) << "S, its Nystrom form, what SOFT++ attends with, exact inverse";
  click(0, 0.9, 0.1);
  const int token = window_->workspace().queries().token();
  EXPECT_EQ(token, 3) << "a click asks there";
  EXPECT_TRUE(grid().displayedValues(0).isApprox(
      gaussian(tokens(0, 16), tokens(0, 16)).row(token).transpose(), 1e-5f));
  const std::vector<NystromForm> forms = nystromForms(layer());
  for (int form = 0; form < 2; ++form) {
    EXPECT_EQ(grid().displayedValues(form + 1),
              forms[static_cast<std::size_t>(form)].map->row(0, token));
  }
  // P (0.5 I) P^T against S.
  const Eigen::MatrixXd exact = gaussian(tokens(0, 16), tokens(0, 16)).cast<double>();
  const Eigen::MatrixXd left = gaussian(tokens(0, 16), tokens(4, 4)).cast<double>();
  const double error = (0.5 * left * left.transpose() - exact).norm() / exact.norm();
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  const NamedArrays arrays = figure->arrays();
  ASSERT_EQ(arrays[0].first, "soft.block2_0_attn.head_0.approximation_relative_frobenius");
  EXPECT_NEAR(arrays[0].second.values[0], error, 1e-5);
  const Eigen::MatrixXd kernel = gaussian(tokens(4, 4), tokens(4, 4)).cast<double>();
  const Eigen::MatrixXd inverted = left * kernel.inverse() * left.transpose();
  ASSERT_EQ(arrays[6].first, "soft.block2_0_attn.head_0.exact_inverse_relative_frobenius");
  EXPECT_NEAR(arrays[6].second.values[0], (inverted - exact).norm() / exact.norm(), 1e-4);
  EXPECT_EQ(arrays[9].first, "soft.block2_0_attn.head_0.exact.row_0_3");
  EXPECT_TRUE(shownText().contains(QStringLiteral("relative Frobenius error")));
  EXPECT_TRUE(shownText().contains(QStringLiteral("which no network computes")));
}

TEST_F(BottleneckPageTest, OtherLandmarksStandForTheSameKernel) {
  choose(QStringLiteral("View"), 1);
  const Vector kernel = grid().displayedValues(0);
  const Vector own = grid().displayedValues(1);
  choose(QStringLiteral("Approximated by"), 3);
  ASSERT_EQ(grid().count(), 3) << "no network attends with them";
  EXPECT_EQ(grid().displayedValues(0), kernel) << "the network was not run anew";
  EXPECT_NE(grid().displayedValues(1), own);
  // P A^-1 P^T with the first four tokens is S itself between those.
  const int token = window_->workspace().queries().token();
  const Matrix all = gaussian(tokens(0, 16), tokens(0, 16));
  EXPECT_NEAR(grid().displayedValues(2)[0], all(token, 0), 1e-4);
  EXPECT_TRUE(shownText().contains(QStringLiteral("first landmarks in place of the network's")));
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  FigureSource source;
  source.picture = window_->workspace().picture().get()->path;
  EXPECT_NE(figure->command(source, {}, "b.pdf").find("--approximation --landmarks first "),
            std::string::npos);
  choose(QStringLiteral("View"), 0);
  EXPECT_FALSE(box(QStringLiteral("Approximated by")).isVisible());
}

TEST_F(BottleneckPageTest, LayersWithoutLandmarksSayWhy) {
  for (const int view : {0, 1}) {
    choose(QStringLiteral("View"), view);
    window_->workspace().layers().choose("block1.0.attn");
    settle();
    EXPECT_FALSE(page().hasFigure());
    EXPECT_FALSE(page().figure());
    EXPECT_TRUE(shownText().contains(QStringLiteral("choose a layer of SOFT")));
    window_->workspace().layers().choose("block2.0.attn");
    settle();
    EXPECT_TRUE(page().hasFigure());
    EXPECT_TRUE(grid().view(0).isVisible());
  }
}

TEST_F(BottleneckPageTest, HoveringReadsEntriesAndWeights) {
  const QSignalSpy spy(&page(), &Page::readOut);
  for (const auto& [panel, text] :
       {std::pair(1, "column"), std::pair(2, "A, landmarks 0 and 0: 1")}) {
    HeadPanelView& view = grid().view(panel);
    QTest::mouseMove(&view, view.imageRect().topLeft().toPoint() + QPoint(4, 4));
    QCoreApplication::processEvents();
    ASSERT_FALSE(spy.isEmpty());
    EXPECT_TRUE(spy.back().front().toString().startsWith(QLatin1String(text)))
        << qPrintable(spy.back().front().toString());
  }
}

TEST_F(BottleneckPageTest, ItsFigureHoldsTheNumbers) {
  click(0, 0.9, 0.1);
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  const NamedArrays arrays = figure->arrays();
  ASSERT_EQ(arrays.size(), 7u);
  EXPECT_EQ(arrays[4].first, "soft.block2_0_attn.head_0.landmark_distance");
  EXPECT_EQ(arrays[6].first, "soft.block2_0_attn.head_0.row_sum");
  EXPECT_EQ(arrays[0].first, "soft.block2_0_attn.head_0.A");
  EXPECT_EQ(arrays[0].second.shape, (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(arrays[1].first, "soft.block2_0_attn.head_0.eigenvalues");
  EXPECT_EQ(arrays[1].second.shape, std::vector<std::int64_t>{4});
  EXPECT_EQ(arrays[2].first, "soft.block2_0_attn.head_0.eigenvalues_normalised");
  EXPECT_NEAR(arrays[2].second.values[0], 1, 1e-6);
  EXPECT_EQ(arrays[3].first, "soft.block2_0_attn.head_0.landmark_1");
  FigureSource source;
  source.picture = window_->workspace().picture().get()->path;
  EXPECT_NE(
      figure->command(source, {}, "b.pdf").find("--layer block2.0.attn --head 0 --landmark 1 -o"),
      std::string::npos);
}

TEST_F(BottleneckPageTest, ThePlotTakesTheHeightThatPanelsLeave) {
  for (const QSize size : {QSize(1000, 1000), QSize(1280, 800), QSize(1900, 760)}) {
    window_->resize(size);
    settle();
    const auto* board = page().findChild<PlotBoard*>();
    int bottom = 0;
    for (int i = 0; i < grid().count(); ++i) {
      const HeadPanelView& view = grid().view(i);
      bottom = std::max(bottom, view.mapTo(&page(), view.rect().bottomLeft()).y());
    }
    const int top = board->mapTo(&page(), QPoint()).y();
    EXPECT_GE(top, bottom);
    EXPECT_LE(top - bottom, 40) << size.width() << " x " << size.height();
  }
  choose(QStringLiteral("View"), 1);
  EXPECT_GT(grid().height(), page().height() / 2) << "without a plot, panels have the page";
}

}  // namespace
}  // namespace softscope
