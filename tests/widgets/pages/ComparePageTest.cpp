#include "app/window/MainWindow.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/views/CompareLineView.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QTest>

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

class ComparePageTest : public testing::Test {
 protected:
  ComparePageTest() {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    for (const char* path : {"first.pth", "second.pth"}) {
      ModelRequest request;
      request.path = path;
      options.models.push_back(request);
    }
    window_ = std::make_unique<MainWindow>(
        test::syntheticEngine(test::openSynthetic, inspectAtItsSize), options);
    window_->resize(1280, 800);
    window_->show();
    settle();
  }
  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->workspace().worker().isBusy(); }));
    QCoreApplication::processEvents();
  }
  /// Whether the header of a model says that it was fed such a size.
  bool says(int line, const QString& size) {
    for (const auto* label : page().line(line).findChildren<ElidedLabel*>()) {
      if (label->text().startsWith(QStringLiteral("input %1").arg(size))) return true;
    }
    return false;
  }
  ComparePage& page() { return *window_->findChild<ComparePage*>(); }

  std::unique_ptr<MainWindow> window_;
};

TEST_F(ComparePageTest, AChangedInputIsMarkedWhereModelsSeeDifferentOnes) {
  EXPECT_FALSE(says(0, QStringLiteral("64 × 64")));
  EXPECT_FALSE(says(1, QStringLiteral("64 × 64")));
  window_->workspace().queue().setInputSize({InputSize::Kind::Whole, 96, 96});
  settle();
  EXPECT_TRUE(says(0, QStringLiteral("96 × 96")));
  EXPECT_TRUE(says(1, QStringLiteral("64 × 64")));
}

/// Panels fill the page: as large as still leaves both lines in sight.
TEST_F(ComparePageTest, PanelsAreAsLargeAsThePageAllows) {
  window_->workspace().setPage(QStringLiteral("compare"));
  settle();
  const QRect sight = page().line(0).parentWidget()->parentWidget()->rect();
  const int bottom = page().line(1).geometry().bottom();
  EXPECT_LE(bottom, sight.height());
  const int oneRowOfAll = 100;
  EXPECT_GT(page().line(0).view(1).width(), oneRowOfAll) << "in more than one row";
  EXPECT_GT(page().line(0).view(page().line(0).panelCount() - 1).y(), page().line(0).view(0).y());
}

}  // namespace
}  // namespace softscope
