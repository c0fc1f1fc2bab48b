#include "widgets/pages/SpectrumPage.h"

#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

SpectrumPage::SpectrumPage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Spectrum"), parent),
      spectra_(workspace.worker(), [this] { showNow(); }) {
  addSettings(spectrumSettings, &AnalysisSettings::spectrum, controls_);
  addScope();
}

void SpectrumPage::showNow() {
  const SpectrumSettings& settings = workspace_.analysis().settings().spectrum;
  controls_.show(settings);
  const Subject subject{scopeLayers(), settings.of};
  const auto* spectra =
      spectra_.get(subject, tr("Decomposing"), [subject](const Progress& progress) {
        return computeSpectra(subject.layers, subject.of, progress);
      });
  if (!spectra) {
    showWaiting();
    return;
  }
  if (definedLayers(*spectra).empty()) {
    showWords(tr("No spectrum"), obstacleText(obstaclesOf(*spectra)));
    return;
  }
  showPlots(spectrumPlots(*spectra, settings), aboutOf(spectrumFigure(*spectra, settings)));
}

std::optional<PageFigure> SpectrumPage::figure() const {
  const auto spectra = spectra_.shared();
  if (!showsPlots() || !spectra) return std::nullopt;
  const SpectrumSettings settings = workspace_.analysis().settings().spectrum;
  AnalysisCommand command{"spectrum", scopeOptions()};
  addOptions(command, spectrumSettings, settings);
  PageFigure page = pageFigure(QStringLiteral("spectrum"), spectrumFigure(*spectra, settings),
                               scopeModels(), command);
  page.table = [spectra] { return spectrumTable(*spectra); };
  return page;
}

}  // namespace softscope
