#include "widgets/pages/SpectrumPage.h"

#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>

#include <algorithm>

namespace softscope {

SpectrumPage::SpectrumPage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Spectrum"), parent),
      of_(addChoice(tr("Matrix"), {tr("Attention"), tr("Bottleneck matrix"), tr("Its inverse")},
                    tr("What the values are of"))),
      logarithmic_(addSwitch(tr("Logarithmic"), tr("Powers of ten on the vertical axis"))),
      spectra_(workspace.worker(), [this] { showNow(); }) {
  addScope();
  connect(of_, &QComboBox::activated, this, &SpectrumPage::choose);
  connect(logarithmic_, &QCheckBox::clicked, this, &SpectrumPage::choose);
}

void SpectrumPage::choose() {
  AnalysisSettings settings = workspace_.analysis().settings();
  settings.spectrum = {static_cast<SpectrumOf>(of_->currentIndex()), logarithmic_->isChecked()};
  workspace_.analysis().set(settings);
}

void SpectrumPage::showNow() {
  const SpectrumSettings& settings = workspace_.analysis().settings().spectrum;
  of_->setCurrentIndex(static_cast<int>(settings.of));
  logarithmic_->setChecked(settings.logarithmic);
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
  const char* names[] = {"attention", "bottleneck", "inverse"};
  command.options.insert(command.options.end(), {"--of", names[static_cast<int>(settings.of)]});
  if (!settings.logarithmic) command.options.emplace_back("--linear");
  PageFigure page = pageFigure(QStringLiteral("spectrum"), spectrumFigure(*spectra, settings),
                               scopeModels(), command);
  page.table = [spectra] { return spectrumTable(*spectra); };
  return page;
}

}  // namespace softscope
