#include "widgets/pages/NormsPage.h"

#include "core/analysis/bottleneck/NormsAnalysis.h"
#include "widgets/paint/ValueText.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLineEdit>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

const std::vector<int> defaultSizes{128, 192, 256, 384, 512};
constexpr int smallestRcond = -15;
constexpr int largestRcond = -3;

QString sizesText(const std::vector<int>& sizes) {
  QStringList texts;
  for (const int size : sizes) texts += QString::number(size);
  return texts.join(QStringLiteral(", "));
}

/// Returns the sides listed in a text; empty unless there are at least two valid ones.
std::optional<std::vector<int>> readSizes(const QString& text) {
  std::vector<int> sizes;
  for (const QString& part : text.split(u',', Qt::SkipEmptyParts)) {
    const auto size = parseInputSize(part.trimmed().toStdString());
    const bool isSide = size && size->kind == InputSize::Kind::Crop && size->height == size->width;
    if (!isSide) return std::nullopt;
    sizes.push_back(size->height);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() < 2) return std::nullopt;
  return sizes;
}

}  // namespace

NormsPage::NormsPage(Workspace& workspace, QWidget* parent)
    : PlotPage(workspace, tr("Spectral norms"), parent),
      sweep_(addChoice(tr("Sizes"), {tr("As it ran"), tr("Sweep of sizes")},
                       tr("One size of the picture, or how norms grow with it"))),
      sizes_(new QLineEdit(this)),
      rcond_(addChoice(rcondSetting<NormsSettings>.text, {})),
      norms_(workspace.worker(), [this] { showNow(); }) {
  sizes_->setAccessibleName(tr("Sides of the picture"));
  sizes_->setToolTip(tr("Sides in pixels, for example 128, 192, 256; Enter runs the sweep"));
  sizes_->setText(sizesText(defaultSizes));
  sizes_->setMinimumWidth(170);
  addControl(sizes_);
  for (int power = largestRcond; power >= smallestRcond; --power) {
    rcond_->addItem(tr("rcond 1e%1").arg(power), std::pow(10.0, power));
  }
  addScope("norms");
  connect(sweep_, &QComboBox::activated, this, &NormsPage::choose);
  connect(sizes_, &QLineEdit::editingFinished, this, &NormsPage::choose);
  connect(rcond_, &QComboBox::activated, this, &NormsPage::choose);
}

void NormsPage::choose() {
  sizes_->setModified(false);
  AnalysisSettings settings = workspace_.analysis().settings();
  const std::vector<int> before = std::exchange(settings.of<NormsSettings>().sizes, {});
  settings.of<NormsSettings>().rcond = rcond_->currentData().toDouble();
  settings.of<ConvergenceSettings>().rcond = settings.of<NormsSettings>().rcond;
  if (sweep_->currentIndex() == 1) {
    const auto sizes = readSizes(sizes_->text());
    // A newly chosen sweep starts in any case, even if the text field is not valid.
    settings.of<NormsSettings>().sizes = sizes.value_or(before.empty() ? defaultSizes : before);
    if (!sizes && !before.empty()) {
      Q_EMIT readOut(tr("A sweep needs two sides or more, from %1 to %2: 128, 192, 256")
                         .arg(leastSweptSide)
                         .arg(mostSweptSide));
    }
  }
  workspace_.analysis().set(settings);
}

void NormsPage::showSettings(const NormsSettings& settings) {
  sweep_->setCurrentIndex(settings.sizes.empty() ? 0 : 1);
  sizes_->setVisible(!settings.sizes.empty());
  if (!settings.sizes.empty() && !sizes_->hasFocus()) sizes_->setText(sizesText(settings.sizes));
  const int power = static_cast<int>(std::lround(std::log10(settings.rcond)));
  rcond_->setCurrentIndex(std::clamp(largestRcond - power, 0, rcond_->count() - 1));
}

std::vector<NormsSubject> NormsPage::subjects(const std::vector<AnalysedLayer>& layers) const {
  // May be called on the worker, whatever has happened to the model since.
  const auto runOf = [this](const AnalysedLayer& layer) {
    const OpenedModel* opened = openedModelOf(workspace_.models(), layer);
    if (!opened) return NormsSubject::Run();
    const auto picture = workspace_.picture().shared();
    return sizedRun(workspace_.engine().inspect, opened->model, picture, inputOf(*opened, picture));
  };
  std::vector<NormsSubject> subjects;
  for (const AnalysedLayer& layer : layers) {
    subjects.push_back({layer, runOf(layer)});
  }
  return subjects;
}

std::vector<AnalysedLayer> NormsPage::shownLayers(const NormsSettings& settings,
                                                  QStringList& leftOut) const {
  std::vector<AnalysedLayer> layers = scopeLayers();
  if (!settings.sizes.empty()) leftOut = takeOutLacking(layers, "sweep of sizes");
  return layers;
}

void NormsPage::showNow() {
  const NormsSettings& settings = workspace_.analysis().settings().of<NormsSettings>();
  showSettings(settings);
  QStringList leftOut;
  const Subject subject{shownLayers(settings, leftOut), settings};
  if (subject.layers.empty() && !leftOut.isEmpty()) {
    showWords(tr("No sweep of sizes"), leftOut.join(u'\n'));
    return;
  }
  const auto* layers =
      norms_.get(subject, tr("Measuring norms"),
                 [subjects = subjects(subject.layers), settings](const Progress& progress) {
                   return computeNorms(subjects, settings, progress);
                 });
  if (!layers) {
    showWaiting();
    return;
  }
  if (definedLayers(*layers).empty()) {
    showObstacles(tr("No bottleneck matrix, no norms of its inverse"), obstaclesOf(*layers));
    return;
  }
  showPlots(normsPlots(*layers),
            joinedCaption(
                {aboutOf(normsCaption(*layers, settings), subject.layers), lackingText(leftOut)}));
}

void NormsPage::releaseResults() {
  norms_.keepIf(OpenSubjects(workspace_.models()));
}

std::optional<PageFigure> NormsPage::figure() const {
  const auto layers = norms_.shared();
  if (!showsPlots() || !layers) return std::nullopt;
  const NormsSettings settings = workspace_.analysis().settings().of<NormsSettings>();
  QStringList leftOut;
  const std::vector<AnalysedLayer> shown = shownLayers(settings, leftOut);
  AnalysisCommand command{"norms", scopeOptions(shown)};
  auto& options = command.options;
  if (!settings.sizes.empty()) {
    options.insert(options.end(),
                   {"--sizes", sizesText(settings.sizes).remove(u' ').toStdString()});
  }
  addRcond(options, settings.rcond);
  PageFigure page =
      pageFigure(QStringLiteral("norms"), normsFigure(*layers, settings), modelsOf(shown), command);
  page.table = [layers, settings] { return normsTable(*layers, settings); };
  return page;
}

}  // namespace softscope
