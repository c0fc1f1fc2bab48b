#include "widgets/analysis/MatrixFigure.h"

#include "core/attention/Mechanism.h"
#include "core/query/QueryToken.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace softscope {
namespace {

/// Returns what distinguishes a layer's panels from those of the others; empty for a single layer.
QString layerPrefix(const std::vector<LayerMatrices>& matrices, std::size_t index) {
  const std::vector<AnalysedLayer> layers = definedLayers(matrices);
  if (layers.size() < 2) return {};
  const AnalysedLayer& of = matrices[index].of;
  std::set<std::string> names;
  std::set<std::string> models;
  std::set<std::string> mechanisms;
  for (const AnalysedLayer& layer : layers) {
    names.insert(layer.layer().name);
    models.insert(layer.model);
    mechanisms.insert(layer.attention().mechanism);
  }
  QStringList parts;
  // Distinguishes the same weights under several mechanisms.
  if (models.size() > 1 && mechanisms.size() == layers.size()) {
    parts += QString::fromStdString(titleOfMechanism(of.attention().mechanism));
  } else if (models.size() > 1) {
    parts += QString::fromStdString(of.model);
  }
  if (names.size() > 1 && (models.size() == 1 || layers.size() > models.size())) {
    parts += shortLayerName(QString::fromStdString(of.layer().name));
  }
  return parts.join(QStringLiteral(" · "));
}

AttentionValues asValues(const HeadMatrix& head) {
  const Matrix& averages = *head.averages.values;
  AttentionValues values;
  values.head = head.head;
  values.grid = {static_cast<int>(averages.rows()), static_cast<int>(averages.cols())};
  values.patches = Eigen::Map<const Vector>(averages.data(), averages.size());
  return values;
}

/// Returns `0.93`, or `−0.64 to 0.86` for several heads; empty if no head has the measure.
QString spreadText(const std::vector<LayerMatrices>& matrices,
                   std::optional<double> LineMeasures::*measure) {
  std::optional<double> least;
  std::optional<double> most;
  for (const LayerMatrices& layer : matrices) {
    for (const HeadMatrix& head : layer.heads) {
      const std::optional<double>& value = head.lines.*measure;
      if (!value) continue;
      least = std::min(least.value_or(*value), *value);
      most = std::max(most.value_or(*value), *value);
    }
  }
  if (!least) return {};
  const QString low = QString::number(*least, 'f', 2).replace(u'-', QChar(0x2212));
  const QString high = QString::number(*most, 'f', 2).replace(u'-', QChar(0x2212));
  return low == high ? low : low + QStringLiteral(" to ") + high;
}

/// Returns what the column means correlate with, if heads have queries and keys.
QString correlationsText(const std::vector<LayerMatrices>& matrices) {
  const QString norms = spreadText(matrices, &LineMeasures::keyNormCorrelation);
  const QString direction = spreadText(matrices, &LineMeasures::queryDirectionCorrelation);
  QStringList parts;
  if (!norms.isEmpty()) parts += QStringLiteral("with the keys' norms %1").arg(norms);
  if (!direction.isEmpty()) {
    parts += QStringLiteral("with keys times the mean query %1").arg(direction);
  }
  if (parts.isEmpty()) return {};
  return QStringLiteral(" · correlation of column means ") + parts.join(QStringLiteral(", "));
}

/// Names the map that is shown. Layers that cannot show it are left out, so that all show the same.
QString shownMatrices(const std::vector<LayerMatrices>& matrices, const MatrixSettings& settings) {
  const ShownMap map = matrices.empty() ? ShownMap::Attention : matrices.front().map;
  const QString what = map == ShownMap::Attention     ? QStringLiteral("attention matrix")
                       : map == ShownMap::Convolution ? QStringLiteral("matrix of the convolution")
                                                      : mapText(matrices.front().of.layer(), map);
  if (!settings.allHeads) return QStringLiteral("%1 of head %2").arg(what).arg(settings.head);
  return map == ShownMap::Attention ? QStringLiteral("attention matrices")
                                    : what + QStringLiteral(" of every head");
}

FigureCell matrixCell(const MatrixPanel& panel) {
  FigureCell cell;
  cell.panel.title = panel.title;
  cell.panel.note = panel.note;
  cell.panel.range = panel.range;
  cell.panel.heat = panel.heat;
  const MatrixPart& part = panel.detail.part;
  cell.aspect = matrixAspect(part.rows, part.columns);
  cell.drawing = [panel](QPainter& painter, const QRectF& place, const FigureStyle& style) {
    paintMatrix(painter, place, panel, style);
  };
  return cell;
}

FigureCaption layerCaption(const LayerMatrices& layer, const QString& about) {
  return captionOf({layer.of}, about);
}

std::vector<FigureCell> cellsOf(const std::vector<LayerMatrices>& matrices, std::size_t index,
                                const MatrixLooks& looks, bool prefixed) {
  const LayerMatrices& layer = matrices[index];
  const std::vector<ValueRange> ranges = matrixRanges(layer, looks.view);
  const PictureExtent seen = extentOf(looks.picture.get(), layer.of.region);
  std::vector<FigureCell> cells;
  for (std::size_t i = 0; i < layer.heads.size(); ++i) {
    MatrixPanel panel = matrixPanel(layer, layer.heads[i]);
    panel.title = prefixed ? matrixTitle(matrices, index, layer.heads[i], looks.settings.allHeads)
                           : headText(layer.heads[i].head);
    panel.note = lineScoreText(layer.heads[i].lines, layer.of.attention());
    panel.range = ranges[i];
    panel.heat = heatmapStyle(looks.view, ranges[i]);
    panel.heat.smooth = false;
    panel.marks = rowMarks(layer.of, seen, looks.queries);
    cells.push_back(matrixCell(panel));
  }
  return cells;
}

}  // namespace

QString matrixTitle(const std::vector<LayerMatrices>& matrices, std::size_t layer,
                    const HeadMatrix& head, bool allHeads) {
  const QString prefix = layerPrefix(matrices, layer);
  if (prefix.isEmpty()) return headText(head.head);
  return allHeads ? prefix + QStringLiteral(", ") + headText(head.head) : prefix;
}

QString lineScoreText(const LineMeasures& lines, const AttentionDescription& attention) {
  if (attention.queries < 2) return QStringLiteral("one query, no lines");
  if (!lines.score) return QStringLiteral("constant");
  if (!std::isfinite(*lines.score)) return QStringLiteral("not finite");
  const QString raw = QStringLiteral("line %1").arg(valueText(*lines.score, 3));
  constexpr double visible = 0.005;
  if (!lines.centredScore || std::abs(*lines.centredScore - *lines.score) < visible) return raw;
  return raw + QStringLiteral(", centred %1").arg(valueText(*lines.centredScore, 3));
}

QString matrixAbout(const std::vector<LayerMatrices>& matrices, const MatrixSettings& settings) {
  QString text = shownMatrices(matrices, settings);
  std::set<QString> areas;
  std::set<QString> parts;
  for (const LayerMatrices& layer : matrices) {
    if (layer.heads.empty()) continue;
    const AveragedPart& averages = layer.heads.front().averages;
    const MatrixPart& part = averages.part;
    areas.insert(QString::fromStdString(averagedText(averages)));
    if (part == layer.of.layer().attention->wholePart()) continue;
    parts.insert(QStringLiteral("rows %1–%2, columns %3–%4")
                     .arg(part.firstRow)
                     .arg(part.firstRow + part.rows - 1)
                     .arg(part.firstColumn)
                     .arg(part.firstColumn + part.columns - 1));
  }
  if (parts.size() == 1) text += QStringLiteral(" · ") + *parts.begin();
  if (parts.size() > 1) text += QStringLiteral(" · the same part of each");
  if (areas.size() == 1 && *areas.begin() != QStringLiteral("1 × 1")) {
    text += QStringLiteral(" · averages of %1 entries").arg(*areas.begin());
  } else if (areas.size() > 1) {
    text += QStringLiteral(" · averages where there are more entries than can be drawn");
  }
  // This is stated only if no part is enlarged.
  if (parts.empty()) {
    text += QStringLiteral(
        " · line: the line score, the share of the variance that column means explain; centred: "
        "of the matrix less its row means");
    text += correlationsText(matrices);
  }
  return text;
}

std::vector<RowMark> rowMarks(const AnalysedLayer& of, const PictureExtent& seen,
                              const std::vector<MarkedQuery>& queries) {
  std::vector<RowMark> marks;
  if (!chosenGrid(of.attention(), Direction::Rows)) return marks;
  for (const MarkedQuery& query : queries) {
    marks.push_back({queryToken(of.attention(), seen, query.query), query.color});
  }
  return marks;
}

MatrixPanel matrixPanel(const LayerMatrices& layer, const HeadMatrix& head) {
  const AttentionDescription& attention = layer.of.attention();
  MatrixPanel panel;
  panel.queries = attention.queries;
  panel.keys = attention.keys;
  panel.rowLabel = QStringLiteral("← ") + sideText(attention, Direction::Rows);
  panel.columnLabel = sideText(attention, Direction::Columns) + QStringLiteral(" →");
  panel.detail = head.averages;
  const MatrixPart& part = head.averages.part;
  panel.visible =
      QRectF(double(part.firstColumn) / panel.keys, double(part.firstRow) / panel.queries,
             double(part.columns) / panel.keys, double(part.rows) / panel.queries);
  return panel;
}

std::vector<ValueRange> matrixRanges(const LayerMatrices& layer, const ViewSettings& view) {
  std::vector<AttentionValues> values;
  for (const HeadMatrix& head : layer.heads) {
    values.push_back(asValues(head));
    values.back().isBesideSigned = layer.isBesideSigned;
  }
  return valueRanges(values, view);
}

PanelFigure matrixFigure(const std::vector<LayerMatrices>& matrices, const MatrixLooks& looks) {
  PanelFigure figure;
  const QString about = matrixAbout(matrices, looks.settings);
  const std::vector<AnalysedLayer> layers = definedLayers(matrices);
  const bool together = layers.size() > 1 && std::all_of(matrices.begin(), matrices.end(),
                                                         [](const LayerMatrices& layer) {
                                                           return layer.heads.size() <= 1;
                                                         });
  if (together) figure.blocks.push_back({captionOf(layers, about), {}, {}, {}});
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (matrices[i].heads.empty()) continue;
    if (!together) figure.blocks.push_back({layerCaption(matrices[i], about), {}, {}, {}});
    for (FigureCell& cell : cellsOf(matrices, i, looks, together)) {
      figure.blocks.back().cells.push_back(std::move(cell));
    }
  }
  return figure;
}

}  // namespace softscope
