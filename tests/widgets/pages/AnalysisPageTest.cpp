#include "app/window/MainWindow.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/Page.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Where a mechanism has nothing to analyse, the advice is about what is open.
class AnalysisAdviceTest : public test::WindowFixture {
 protected:
  void open(const std::vector<std::string>& mechanisms) {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    for (const std::string& mechanism : mechanisms) {
      ModelRequest request;
      request.path = "model_of_" + mechanism + ".pth";
      request.attention = mechanism;
      options.models.push_back(request);
    }
    start(test::syntheticEngine(), std::move(options), {1280, 800});
  }
  QString words() {
    for (const auto* label : window_->findChildren<QLabel*>(QStringLiteral("words"))) {
      if (label->isVisible()) return label->accessibleName();
    }
    return {};
  }
  QPushButton* offer() {
    for (auto* button : window_->findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text().startsWith(QStringLiteral("Show model_of_"))) {
        return button;
      }
    }
    return nullptr;
  }
};

TEST_F(AnalysisAdviceTest, NamesTheModelThatIsOpenBesideAndShowsIt) {
  open({"gaussian", "soft++"});
  Workspace& workspace = window_->workspace();
  workspace.models().setCurrent(0);
  for (const char* page : {"convergence", "bottleneck"}) {
    workspace.setPage(QLatin1String(page));
    settle();
    EXPECT_TRUE(words().contains(QStringLiteral("model_of_soft++ (SOFT++) is open beside")))
        << page << ": " << words().toStdString();
    ASSERT_TRUE(offer()) << page;
  }
  offer()->click();
  settle();
  EXPECT_EQ(workspace.models().currentIndex(), 1);
}

TEST_F(AnalysisAdviceTest, NamesNoneWhereNoneSuits) {
  open({"gaussian", "gaussian"});
  window_->workspace().setPage(QStringLiteral("convergence"));
  settle();
  EXPECT_FALSE(words().isEmpty());
  EXPECT_FALSE(words().contains(QStringLiteral("is open beside"))) << words().toStdString();
  EXPECT_FALSE(offer());
}

}  // namespace
}  // namespace softscope
