#include "widgets/pages/ConvergencePage.h"

#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/StillOpen.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

ConvergencePage::ConvergencePage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Convergence"), parent),
      convergence_(workspace.worker(), [this] { showNow(); }) {
  addSettings(convergenceSettings, &AnalysisSettings::convergence, controls_);
  addScope();
}

void ConvergencePage::showNow() {
  const ConvergenceSettings& settings = workspace_.analysis().settings().convergence;
  controls_.show(settings);
  const Subject subject{scopeLayers(), settings};
  const auto* layers =
      convergence_.get(subject, tr("Iterating"), [subject](const Progress& progress) {
        return computeConvergence(subject.layers, subject.settings, progress);
      });
  if (!layers) {
    showWaiting();
    return;
  }
  if (definedLayers(*layers).empty()) {
    showWords(tr("No inverse is iterated here"), obstacleText(obstaclesOf(*layers)));
    return;
  }
  showPlots(convergencePlots(*layers), aboutOf(convergenceFigure(*layers, settings)));
}

void ConvergencePage::letGo() {
  convergence_.keepIf(StillOpen(workspace_.models()));
}

std::optional<PageFigure> ConvergencePage::figure() const {
  const auto layers = convergence_.shared();
  if (!showsPlots() || !layers) return std::nullopt;
  const ConvergenceSettings settings = workspace_.analysis().settings().convergence;
  AnalysisCommand command{"convergence", scopeOptions()};
  addOptions(command, convergenceSettings, settings);
  addRcond(command.options, settings.rcond);
  PageFigure page = pageFigure(QStringLiteral("convergence"), convergenceFigure(*layers, settings),
                               scopeModels(), command);
  page.table = [layers] { return convergenceTable(*layers); };
  return page;
}

}  // namespace softscope
