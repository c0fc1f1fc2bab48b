#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/WholeText.h"
#include "widgets/pages/ClassPage.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QComboBox>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// A map whose patches count up from the class's number.
ClassMaps syntheticMaps(const ClassMapRequest& request) {
  ClassMaps maps{.classIndex = request.classIndex.value_or(3), .logit = 2.5, .probability = 0.75};
  for (const ClassMethod method : request.methods) {
    ClassMap map{.method = method, .grid = {2, 2}, .patches = Vector(4)};
    map.patches << 0, 1, 2, static_cast<float>(maps.classIndex);
    if (method == ClassMethod::LeGrad) map.obstacle = "no head reads its blocks";
    maps.maps.push_back(std::move(map));
  }
  return maps;
}

class ClassPageTest : public test::WindowFixture {
 protected:
  ClassPageTest() {
    Engine engine = test::syntheticEngine();
    engine.measureClassMaps = [this](const Model&, const InputTensor&,
                                     const ClassMapRequest& request, const Progress&) {
      const std::scoped_lock lock(mutex_);
      requests_.push_back(request);
      if (lacksMemory_) throw GpuMemoryError("no memory");
      if (isFaulty_) throw ComputeError("CUDA error");
      if (!obstacle_.empty()) throw InspectionError(obstacle_);
      return syntheticMaps(request);
    };
    start(engine, test::syntheticContent({"first.pth"}), {1000, 700});
  }
  void showPage() {
    window_->workspace().setPage(QStringLiteral("class"));
    settle();
  }
  void choose(QComboBox& box, int row) {
    box.setCurrentIndex(row);
    Q_EMIT box.activated(row);
    settle();
  }
  ClassPage& page() { return *window_->findChild<ClassPage*>(); }
  std::string words() { return test::wordsOf(page()); }

  std::mutex mutex_;
  std::vector<ClassMapRequest> requests_;
  std::string obstacle_;
  bool lacksMemory_ = false;
  bool isFaulty_ = false;
};

TEST_F(ClassPageTest, ShowsAPanelForEachMethodThatTheNetworkHas) {
  showPage();
  EXPECT_EQ(page().maps().count(), 4);
  EXPECT_THAT(words(), HasSubstr("speak for car (y 2.50, 75.0 %)"));
  EXPECT_THAT(words(), HasSubstr("no LeGrad: no head reads its blocks"));
  EXPECT_EQ(requests_.size(), 1u);
  EXPECT_FALSE(requests_[0].classIndex);
  EXPECT_EQ(page().maps().view(0).panel().values.patches[3], 3);
}

TEST_F(ClassPageTest, AnotherClassStandsBesideTheFirst) {
  showPage();
  choose(*page().classes().box(), 2);
  choose(*page().others().box(), 6);
  ASSERT_GE(requests_.size(), 2u);
  EXPECT_EQ(requests_.end()[-2].classIndex, 1);
  EXPECT_EQ(requests_.end()[-1].classIndex, 5);
  EXPECT_EQ(page().maps().count(), 12);
  // 1 of 2 less 5 of 5.
  EXPECT_FLOAT_EQ(page().maps().view(8).panel().values.patches[3], 0.5f - 1);
  ASSERT_TRUE(window_->canExport());
  window_->figures().copyCommand(QStringLiteral("class.svg"), {});
  EXPECT_THAT(QGuiApplication::clipboard()->text().toStdString(), HasSubstr("--class 1 --class 5"));
}

TEST_F(ClassPageTest, TheChosenLayerIsAskedForOnDemand) {
  showPage();
  window_->workspace().layers().choose("block1.0.attn");
  settle();
  EXPECT_EQ(requests_.size(), 1u) << "the maps do not depend on the layer";
  AnalysisSettings settings = window_->workspace().analysis().settings();
  settings.of<ClassMapSettings>().atLayer = true;
  window_->workspace().analysis().set(settings);
  settle();
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_EQ(requests_[0].layer, "");
  EXPECT_EQ(requests_[1].layer, "block1.0.attn");
  window_->workspace().layers().choose("block2.0.attn");
  settle();
  EXPECT_EQ(requests_.back().layer, "block2.0.attn");
}

TEST_F(ClassPageTest, SaysWhyThereIsNoMap) {
  obstacle_ = "the network has no head";
  showPage();
  EXPECT_THAT(words(), HasSubstr("The network has no head"));
  EXPECT_FALSE(page().hasFigure());
}

TEST_F(ClassPageTest, ItsSettingsAreKept) {
  AnalysisSettings settings;
  settings.of<ClassMapSettings>() = {.method = ClassMethod::GradCam,
                                     .entries = AttentionEntries::Signed,
                                     .points = 7,
                                     .classIndex = 4,
                                     .against = 0,
                                     .atLayer = true};
  const QJsonObject written = analysisJson(settings);
  EXPECT_EQ(readAnalysis(written).of<ClassMapSettings>(), settings.of<ClassMapSettings>());
}

TEST_F(ClassPageTest, LackOfAGpusMemoryIsAFailureThatTheCpuMayMend) {
  int lacked = 0;
  QObject::connect(&window_->workspace().worker(), &Worker::failed,
                   [&](Worker::Kind, const WorkFailure& failure) {
                     if (failure.isOfGpuMemory) ++lacked;
                   });
  lacksMemory_ = true;
  showPage();
  EXPECT_EQ(lacked, 1);
}

TEST_F(ClassPageTest, AFaultOfTheDeviceIsAFailureAndNoResult) {
  int failed = 0;
  QObject::connect(&window_->workspace().worker(), &Worker::failed,
                   [&](Worker::Kind, const WorkFailure&) { ++failed; });
  isFaulty_ = true;
  showPage();
  EXPECT_EQ(failed, 1);
  EXPECT_THAT(words(), ::testing::Not(HasSubstr("CUDA error")));
}

}  // namespace
}  // namespace softscope
