#include "widgets/OverviewPage.h"

#include "core/analysis/AttentionDistance.h"
#include "core/analysis/AttentionEntropy.h"
#include "core/image/ColorMap.h"
#include "widgets/LayerHeadView.h"
#include "widgets/Workspace.h"
#include "widgets/figure/ValueText.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

using Values = std::vector<std::vector<std::optional<double>>>;

Values distances(const Inspection& inspection, const Progress& progress) {
  Values values;
  for (LayerDistances& layer : attentionDistances(inspection, progress)) {
    values.push_back(std::move(layer.heads));
  }
  return values;
}

std::optional<double> meanEntropy(const AttentionMap& map, int head, const Progress& progress) {
  const auto entropies = entropyMap(map, head, progress);
  if (!entropies || entropies->largestPossible <= 0) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (const float entropy : entropies->entropy) {
    if (!std::isfinite(entropy)) continue;
    sum += entropy;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count / entropies->largestPossible;
}

Values entropies(const Inspection& inspection, const Progress& progress) {
  Values values;
  for (const LayerInspection& layer : inspection.layers) {
    progress.report(double(values.size()) / double(inspection.layers.size()), "");
    std::vector<std::optional<double>> heads;
    for (int head = 0; head < layer.attention->description().heads; ++head) {
      heads.push_back(meanEntropy(*layer.attention, head, progress));
    }
    values.push_back(std::move(heads));
  }
  return values;
}

ValueRange rangeOf(const Values& values) {
  std::optional<ValueRange> range;
  for (const auto& layer : values) {
    for (const auto& value : layer) {
      if (!value) continue;
      const auto number = static_cast<float>(*value);
      if (!range) range = ValueRange{number, number};
      range->low = std::min(range->low, number);
      range->high = std::max(range->high, number);
    }
  }
  return range.value_or(ValueRange());
}

}  // namespace

OverviewPage::OverviewPage(Workspace& workspace, QWidget* parent)
    : Page(workspace, parent),
      measure_(new QComboBox(this)),
      about_(new QLabel(this)),
      view_(new LayerHeadView(this)) {
  setAccessibleName(tr("Overview"));
  measure_->setAccessibleName(tr("Measure"));
  measure_->addItems({tr("Attention distance"), tr("Entropy")});
  about_->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(12, 8, 12, 4);
  line->setSpacing(10);
  line->addWidget(measure_);
  line->addWidget(about_, 1);
  line->setAlignment(measure_, Qt::AlignTop);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(line);
  column->addWidget(view_, 1);
  connect(measure_, &QComboBox::activated, this, &OverviewPage::showNow);
  connect(view_, &LayerHeadView::chosen, this, &OverviewPage::choose);
  connect(view_, &LayerHeadView::hovered, this, &OverviewPage::readValue);
  connect(view_, &LayerHeadView::left, this, [this] { Q_EMIT readOut({}); });
}

void OverviewPage::showNow() {
  const auto measure = static_cast<Measure>(measure_->currentIndex());
  about_->setText(measure == Measure::Distance
                      ? tr("How far each head looks: the mean distance from query to key, weighted "
                           "by |attention|, in pixels of the network's input.")
                      : tr("How widely each head looks: the mean entropy of its rows of "
                           "|attention|, as a share of ln(keys)."));
  const OpenedModel* opened = workspace_.current();
  if (!opened || !opened->inspection) return;
  if (inspection_ != opened->inspection || shown_ != measure) {
    compute();
    return;
  }
  const std::vector<LayerInspection>& layers = opened->inspection->layers;
  const LayerInspection* chosen = opened->shownLayer();
  view_->setChosenLayer(chosen ? static_cast<int>(chosen - layers.data()) : -1);
}

void OverviewPage::showEvent(QShowEvent* event) {
  // What was cancelled is tried again when somebody looks again.
  if (!workspace_.isAnalysing()) computing_.reset();
  Page::showEvent(event);
}

void OverviewPage::compute() {
  const auto inspection = workspace_.current()->inspection;
  const auto measure = static_cast<Measure>(measure_->currentIndex());
  if (computing_ == inspection && shown_ == measure) return;
  computing_ = inspection;
  shown_ = measure;
  inspection_.reset();
  view_->setMap({});
  workspace_.analyse(tr("Measuring %1").arg(measure_->currentText().toLower()),
                     [this, inspection, measure](const Progress& progress) -> Worker::Delivery {
                       Values values = measure == Measure::Distance
                                           ? distances(*inspection, progress)
                                           : entropies(*inspection, progress);
                       return [this, inspection, measure, values = std::move(values)] {
                         take(inspection, measure, values);
                       };
                     });
}

void OverviewPage::take(const std::shared_ptr<const Inspection>& inspection, Measure measure,
                        Values values) {
  inspection_ = inspection;
  shown_ = measure;
  computing_.reset();
  LayerHeadMap map;
  for (const LayerInspection& layer : inspection->layers) {
    map.layers += QString::fromStdString(layer.name);
  }
  map.values = std::move(values);
  map.range = rangeOf(map.values);
  map.colors = &colorMap("viridis");
  view_->setMap(std::move(map));
  showNow();
}

void OverviewPage::choose(int layer) {
  if (!inspection_) return;
  workspace_.setLayer(inspection_->layers[static_cast<std::size_t>(layer)].name);
  Q_EMIT layerChosen();
}

void OverviewPage::readValue(int layer, int head) {
  const LayerHeadMap& map = view_->map();
  const auto& value = map.values[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
  const QString number = !value ? tr("not defined: its tokens are not patches")
                         : shown_ == Measure::Distance
                             ? tr("%1 pixels").arg(valueText(*value))
                             : tr("%1 of ln(keys)").arg(valueText(*value));
  Q_EMIT readOut(QStringLiteral("%1, head %2: %3").arg(map.layers[layer]).arg(head).arg(number));
}

}  // namespace softscope
