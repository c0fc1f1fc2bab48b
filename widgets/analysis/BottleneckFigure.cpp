#include "core/attention/Mechanism.h"
#include "widgets/analysis/BottleneckFigures.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <cmath>
#include <complex>
#include <utility>

namespace softscope {
namespace {

using ComplexEigenvalues = std::vector<std::complex<double>>;

constexpr double nearOne = 0.05;
const QColor chosenColor(0xfff04d);

bool approximatesSoftmax(const HeadBottleneck& bottleneck) {
  return traitsOf(bottleneck.of.attention().mechanism).approximatesSoftmax();
}

std::vector<int> labelsOf(const HeadBottleneck& bottleneck) {
  std::vector<int> labels(static_cast<std::size_t>(bottleneck.grid().count()), -1);
  for (std::size_t i = 0; i < bottleneck.landmarks.size(); ++i) {
    for (const int patch : bottleneck.landmarks[i].patches) {
      labels[static_cast<std::size_t>(patch)] = static_cast<int>(i);
    }
  }
  return labels;
}

PatchOutline outlineOfAll(const HeadBottleneck& bottleneck) {
  return {patchBorders(bottleneck.grid(), labelsOf(bottleneck)), QColor(255, 255, 255, 190), false};
}

PatchOutline outlineOf(const HeadBottleneck& bottleneck, int landmark) {
  std::vector<int> labels = labelsOf(bottleneck);
  for (int& label : labels) label = label == landmark ? landmark : -1;
  return {patchBorders(bottleneck.grid(), labels), chosenColor, true};
}

HeadPanel landmarksPanel(const HeadBottleneck& bottleneck, int landmark) {
  HeadPanel panel;
  panel.title = landmarkText(landmark);
  panel.note = landmarkPlaceText(bottleneck, landmark);
  panel.outlines = {outlineOfAll(bottleneck), outlineOf(bottleneck, landmark)};
  return panel;
}

void giveValues(HeadPanel& panel, AttentionValues values, const ViewSettings& view) {
  panel.range = valueRanges({values}, view).front();
  panel.heat = heatmapStyle(view, panel.range);
  panel.values = std::move(values);
}

HeadPanel columnPanel(const HeadBottleneck& bottleneck, int landmark, const ViewSettings& view) {
  AttentionValues values;
  values.head = bottleneck.head;
  values.grid = bottleneck.grid();
  values.onPicture = true;
  values.patches = landmarkColumn(*bottleneck.of.layer().attention, bottleneck.head, landmark);
  HeadPanel panel;
  panel.title = QStringLiteral("column %1 of P").arg(landmark);
  panel.note =
      approximatesSoftmax(bottleneck) ? QStringLiteral("softmax") : QStringLiteral("Gaussian");
  panel.outlines = {outlineOf(bottleneck, landmark)};
  giveValues(panel, std::move(values), view);
  return panel;
}

HeadPanel kernelPanel(const HeadBottleneck& bottleneck, const ViewSettings& view) {
  const Matrix& kernel = bottleneck.kernel();
  const auto size = static_cast<int>(kernel.rows());
  AttentionValues values;
  values.head = bottleneck.head;
  values.grid = {size, size};
  values.patches = Eigen::Map<const Vector>(kernel.data(), kernel.size());
  HeadPanel panel;
  panel.title = QStringLiteral("A");
  panel.note = approximatesSoftmax(bottleneck) ? QStringLiteral("%1 × %1, softmax(q̃ k̃ᵀ)").arg(size)
                                               : QStringLiteral("%1 × %1 landmarks").arg(size);
  giveValues(panel, std::move(values), view);
  return panel;
}

PlotCurve magnitudes(const ComplexEigenvalues& eigenvalues, const QString& name,
                     const QColor& color) {
  PlotCurve curve;
  curve.name = curve.group = name;
  curve.color = color;
  curve.points = eigenvalues.size() <= 64;
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) {
    curve.x.push_back(static_cast<double>(i + 1));
    curve.y.push_back(std::abs(eigenvalues[i]));
  }
  return curve;
}

/// Says how far landmarks are from the queries, and what sums of weights come of it.
QString distanceText(const LandmarkDistance& distance) {
  const QString where = distance.nearShare < 0.05  ? QStringLiteral("far from nearly all queries")
                        : distance.nearShare < 0.5 ? QStringLiteral("far from most queries")
                                                   : QStringLiteral("near the queries");
  return QStringLiteral(
             " · landmarks are %1: the median kernel between them is %2 (|q − l|² = %3), %4 % of "
             "its entries are above %5; the weights of the median query sum to %6")
      .arg(where, valueText(std::exp(-distance.median / 2)), valueText(distance.median),
           valueText(100 * distance.nearShare, 2), valueText(nearKernel, 1),
           valueText(distance.rowSum));
}

FigureBlock bottleneckBlock(const HeadBottleneck& bottleneck, int landmark,
                            const std::shared_ptr<const Picture>& picture,
                            const ViewSettings& view) {
  const auto cropped =
      picture ? std::make_shared<const CroppedPicture>(pictureImage(picture), bottleneck.of.region)
              : nullptr;
  const TokenGrid& grid = bottleneck.grid();
  const double aspect = picture ? bottleneck.of.region.width / bottleneck.of.region.height
                                : static_cast<double>(grid.width) / grid.height;
  FigureBlock block;
  block.caption = captionOf({bottleneck.of}, {});
  block.caption->about = bottleneckText(bottleneck);
  for (HeadPanel& panel : bottleneckPanels(bottleneck, landmark, view)) {
    const bool matrix = panel.values.patches.size() > 0 && !panel.values.onPicture;
    block.cells.push_back({std::move(panel), cropped, matrix ? 1 : aspect, {}});
  }
  Plot plot = eigenvaluePlot(bottleneck);
  plot.aspect = 1;
  block.cells.push_back(plotCell(plot));
  block.plots = {std::move(plot)};
  return block;
}

}  // namespace

QString landmarkText(int landmark) {
  return QStringLiteral("landmark %1").arg(landmark);
}

QString landmarkPlaceText(const HeadBottleneck& bottleneck, int landmark) {
  const QString text = QStringLiteral("of %1").arg(bottleneck.landmarks.size());
  const auto& grid = bottleneck.of.attention().landmarkGrid;
  if (!grid) return text;
  return text +
         QStringLiteral(", at (%1, %2)").arg(landmark / grid->width).arg(landmark % grid->width);
}

std::vector<HeadPanel> bottleneckPanels(const HeadBottleneck& bottleneck, int landmark,
                                        const ViewSettings& view) {
  return {landmarksPanel(bottleneck, landmark), columnPanel(bottleneck, landmark, view),
          kernelPanel(bottleneck, view)};
}

Plot eigenvaluePlot(const HeadBottleneck& bottleneck) {
  const BottleneckEigenvalues& eigenvalues = bottleneck.eigenvalues;
  const std::vector<QColor> colors = curveColors(2);
  Plot plot;
  plot.title = QStringLiteral("Eigenvalues");
  plot.note = QStringLiteral("k = %1 at ±%2")
                  .arg(countNearOne(eigenvalues.ofNormalised, nearOne))
                  .arg(nearOne);
  plot.x.label = QStringLiteral("rank");
  plot.y.label = QStringLiteral("|eigenvalue|");
  plot.y.logarithmic = true;
  plot.curves = {magnitudes(eigenvalues.ofKernel, QStringLiteral("A"), colors[0]),
                 magnitudes(eigenvalues.ofNormalised, QStringLiteral("D⁻¹A"), colors[1])};
  plot.levels = {{Qt::Horizontal, 1, QStringLiteral("1")}};
  return plot;
}

QString bottleneckText(const HeadBottleneck& bottleneck) {
  return layerText(bottleneck.of.attention(), QString::fromStdString(bottleneck.of.mechanismNote)) +
         QStringLiteral(" · ") + headText(bottleneck.head) +
         QStringLiteral(
             " · bottleneck matrix A, and D⁻¹A, D its row sums · k = %1: eigenvalues of D⁻¹A "
             "within %2 of 1")
             .arg(countNearOne(bottleneck.eigenvalues.ofNormalised, nearOne))
             .arg(nearOne) +
         (bottleneck.distance ? distanceText(*bottleneck.distance) : QString());
}

PanelFigure bottleneckFigure(const std::vector<HeadBottleneck>& bottlenecks,
                             std::optional<int> landmark,
                             const std::shared_ptr<const Picture>& picture,
                             const ViewSettings& view) {
  PanelFigure figure;
  for (const HeadBottleneck& bottleneck : bottlenecks) {
    if (!bottleneck.obstacle.empty()) continue;
    const int chosen = chosenLandmark(bottleneck, landmark);
    figure.blocks.push_back(bottleneckBlock(bottleneck, chosen, picture, view));
  }
  return figure;
}

}  // namespace softscope
