#include "widgets/pages/ConvergencePage.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QSpinBox>

#include <algorithm>
#include <array>

namespace softscope {
namespace {

/// In the order of the choice, after the mechanism's own.
constexpr std::array offeredSchemes = {InverseScheme::Theorem, InverseScheme::Backtracking,
                                       InverseScheme::Nystromformer};

}  // namespace

ConvergencePage::ConvergencePage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Convergence"), parent),
      scheme_(
          addChoice(tr("Scheme"),
                    {tr("Released code"), tr("Theorem"), tr("Backtracking"), tr("Nyströmformer")},
                    tr("Where the iteration starts, and how it goes on"))),
      iterations_(new QSpinBox(this)),
      single_(addSwitch(tr("float32"), tr("Iterate in the code's own precision"))),
      convergence_(workspace, [this] { showNow(); }) {
  iterations_->setRange(1, 200);
  iterations_->setSuffix(tr(" steps"));
  iterations_->setKeyboardTracking(false);
  iterations_->setAccessibleName(tr("Steps"));
  addControl(iterations_);
  addScope();
  connect(scheme_, &QComboBox::activated, this, &ConvergencePage::choose);
  connect(iterations_, &QSpinBox::valueChanged, this, &ConvergencePage::choose);
  connect(single_, &QCheckBox::clicked, this, &ConvergencePage::choose);
}

void ConvergencePage::choose() {
  AnalysisSettings settings = workspace_.analysis();
  settings.convergence.scheme.reset();
  const int chosen = scheme_->currentIndex();
  if (chosen > 0)
    settings.convergence.scheme = offeredSchemes[static_cast<std::size_t>(chosen - 1)];
  settings.convergence.iterations = iterations_->value();
  settings.convergence.singlePrecision = single_->isChecked();
  workspace_.setAnalysis(settings);
}

void ConvergencePage::showSettings(const ConvergenceSettings& settings) {
  const auto found = std::find(offeredSchemes.begin(), offeredSchemes.end(), settings.scheme);
  scheme_->setCurrentIndex(
      found == offeredSchemes.end() ? 0 : static_cast<int>(found - offeredSchemes.begin()) + 1);
  const QSignalBlocker quiet(iterations_);
  iterations_->setValue(settings.iterations);
  single_->setChecked(settings.singlePrecision);
}

void ConvergencePage::showNow() {
  const ConvergenceSettings& settings = workspace_.analysis().convergence;
  showSettings(settings);
  const Subject subject{workspace_.analysedLayers(), settings};
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

std::optional<PageFigure> ConvergencePage::figure() const {
  const auto layers = convergence_.shared();
  if (!showsPlots() || !layers) return std::nullopt;
  const ConvergenceSettings settings = workspace_.analysis().convergence;
  AnalysisCommand command{"convergence", scopeOptions()};
  auto& options = command.options;
  if (settings.scheme) options.insert(options.end(), {"--scheme", schemeName(*settings.scheme)});
  options.insert(options.end(), {"--iterations", std::to_string(settings.iterations)});
  if (settings.singlePrecision) options.emplace_back("--float32");
  addRcond(options, settings.rcond);
  PageFigure page = pageFigure(QStringLiteral("convergence"), convergenceFigure(*layers, settings),
                               scopeModels(), command);
  page.table = [layers] { return convergenceTable(*layers); };
  return page;
}

}  // namespace softscope
