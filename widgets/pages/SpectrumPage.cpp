#include "widgets/pages/SpectrumPage.h"

#include "widgets/controls/MapChoice.h"
#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/OfferedMap.h"
#include "widgets/workspace/StillOpen.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

SpectrumPage::SpectrumPage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Spectrum"), parent),
      spectra_(workspace.worker(), [this] { showNow(); }) {
  addSettings(spectrumSettings, &AnalysisSettings::spectrum, controls_);
  map_ = addMapChoice();
  addScope();
}

OfferedMap SpectrumPage::shownMap() const {
  if (workspace_.analysis().settings().spectrum.of == SpectrumOf::Attention) {
    return analysedMap(workspace_, scopeLayers());
  }
  return {ShownMap::Attention,
          {ShownMap::Attention},
          tr("Of the bottleneck matrix and of its inverse there is no other")};
}

void SpectrumPage::showNow() {
  const SpectrumSettings& settings = workspace_.analysis().settings().spectrum;
  controls_.show(settings);
  const OfferedMap map = shownMap();
  map_->setMap(map.shown, map.maps, map.obstacle);
  const Subject subject{scopeLayers(), settings.of, map.shown};
  const auto* spectra =
      spectra_.get(subject, tr("Decomposing"), [subject](const Progress& progress) {
        return computeSpectra(subject.layers, subject.of, subject.map, progress);
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

void SpectrumPage::letGo() {
  spectra_.keepIf(StillOpen(workspace_.models()));
}

std::optional<PageFigure> SpectrumPage::figure() const {
  const auto spectra = spectra_.shared();
  if (!showsPlots() || !spectra) return std::nullopt;
  const SpectrumSettings settings = workspace_.analysis().settings().spectrum;
  AnalysisCommand command{"spectrum", scopeOptions()};
  addOptions(command, spectrumSettings, settings);
  addOptions(command, mapSettings, MapSettings{shownMap().shown});
  PageFigure page = pageFigure(QStringLiteral("spectrum"), spectrumFigure(*spectra, settings),
                               scopeModels(), command);
  page.table = [spectra] { return spectrumTable(*spectra); };
  return page;
}

}  // namespace softscope
