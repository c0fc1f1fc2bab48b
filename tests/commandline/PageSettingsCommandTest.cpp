// What a page writes and what its command line writes are the same bytes.

#include "app/HeadlessApplication.h"
#include "core/inspect/Device.h"
#include "core/inspect/Inspector.h"
#include "models/OpenModel.h"
#include "tests/commandline/Run.h"
#include "widgets/BottleneckPage.h"
#include "widgets/SaliencyPage.h"
#include "widgets/Workspace.h"
#include "widgets/figure/FigureFile.h"

#include <QtCore/QElapsedTimer>

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

using testing::contentOf;
using testing::Outcome;
using testing::TemporaryFolder;

class PageSettingsCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { application_ = std::make_unique<HeadlessApplication>(); }
  static void TearDownTestSuite() { application_.reset(); }

  PageSettingsCommand()
      : workspace_([](const ModelRequest& request,
                      const Progress& progress) { return openModel(request, progress); },
                   [](const Model& model, const InputTensor& input, const Progress& progress) {
                     return inspect(model, input, progress);
                   }) {
    setComputeThreads(1);
    const std::string resources = std::string(SOFTSCOPE_SOURCE) + "/resources/";
    workspace_.openPicture(QString::fromStdString(resources + "pictures/chelsea.png"));
    ModelRequest request;
    request.path = resources + "checkpoints/soft_norm_everyday10.safetensors";
    workspace_.openModel(request);
    settle();
  }

  void settle() {
    do QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    while (workspace_.isBusy());
    QCoreApplication::processEvents();
  }

  FigureSource sourceOf(const PageFigure& figure) const {
    FigureSource source;
    source.threads = 1;
    for (const std::size_t index : figure.models) {
      const OpenedModel& model = workspace_.models()[index];
      source.models.push_back({model.request, model.inputSize});
    }
    source.picture = workspace_.picture()->path;
    return source;
  }

  /// Shows the page, writes what it shows, and runs its command.
  void expectSameBytes(Page& page) {
    page.takePicture();
    page.showNow();
    settle();
    page.showNow();
    const std::optional<PageFigure> figure = page.figure();
    ASSERT_TRUE(figure);
    FigureSettings settings;
    settings.dpi = 70;
    settings.width = 129;
    for (const char* extension : {".png", ".pdf"}) {
      const std::string written = folder_ / (std::string("written") + extension);
      const std::string repeated = folder_ / (std::string("repeated") + extension);
      saveFigure(written, figure->drawing.size(settings), settings.dpi,
                 [&](QPainter& painter, const QRectF& place) {
                   figure->drawing.paint(painter, place, settings);
                 });
      const std::string command = figure->command(sourceOf(*figure), settings, repeated);
      const std::string program = "softscope ";
      ASSERT_EQ(command.substr(0, program.size()), program);
      const Outcome outcome = testing::softscope(command.substr(program.size()));
      ASSERT_EQ(outcome.exitCode, 0) << command << '\n' << outcome.errors;
      EXPECT_FALSE(contentOf(written).empty());
      EXPECT_TRUE(contentOf(written) == contentOf(repeated)) << command;
    }
  }

  template <typename Settings>
  void choose(Settings AnalysisSettings::*part, const Settings& chosen) {
    AnalysisSettings settings = workspace_.analysis();
    settings.*part = chosen;
    workspace_.setAnalysis(settings);
  }

  Workspace workspace_;
  TemporaryFolder folder_;

 private:
  inline static std::unique_ptr<HeadlessApplication> application_;
};

TEST_F(PageSettingsCommand, RepeatsSaliency) {
  SaliencyPage page(workspace_);
  expectSameBytes(page);
  choose(&AnalysisSettings::saliency, {SaliencyOf::Keys, true});
  ViewSettings view;
  view.colorMap = "viridis";
  view.opacity = 0.4;
  view.smooth = true;
  view.normalisation = ViewSettings::Normalisation::Shared;
  workspace_.setView(view);
  workspace_.setLayer("block4.1.attn");
  expectSameBytes(page);
}

TEST_F(PageSettingsCommand, RepeatsBottlenecksAndApproximations) {
  BottleneckPage page(workspace_);
  expectSameBytes(page);
  workspace_.setLayer("block3.1.att.mha.attn");
  choose(&AnalysisSettings::bottleneck, {false, 2, 7});
  expectSameBytes(page);
  choose(&AnalysisSettings::bottleneck, {true, 2, 7});
  workspace_.setQuery({0.1 + 0.2, 1.0 / 3, false});
  expectSameBytes(page);
}

}  // namespace
}  // namespace softscope
