#include "core/image/ColorMap.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QStringList>

#include <cmath>
#include <optional>
#include <utility>

namespace softscope {
namespace {

constexpr const char* ckaColors = "viridis";

/// Returns 0 to 1, which estimates from few pictures may leave.
ValueRange ckaRange(const ModelCka& cka) {
  constexpr double rounding = 1e-6;
  ValueRange range{0, 1};
  range.clipped = (cka.values.array() < -rounding || cka.values.array() > 1 + rounding).any();
  return range;
}

LayerHeadMap ckaMap(const ModelCka& cka) {
  LayerHeadMap map;
  for (Eigen::Index row = 0; row < cka.values.rows(); ++row) {
    map.layers += QStringLiteral("%1 · %2").arg(row).arg(
        shortLayerName(QString::fromStdString(cka.firstLayers[static_cast<std::size_t>(row)])));
    std::vector<std::optional<double>> cells;
    for (Eigen::Index column = 0; column < cka.values.cols(); ++column) {
      const double value = cka.values(row, column);
      cells.push_back(std::isfinite(value) ? std::optional(value) : std::nullopt);
    }
    map.values.push_back(std::move(cells));
    if (const auto largest = mostAlikeLayer(cka.values, row)) {
      map.marked.emplace_back(*largest, static_cast<int>(row));
    }
  }
  map.range = ckaRange(cka);
  map.colors = &colorMap(ckaColors);
  return map;
}

QString nameOfLayer(const std::vector<std::string>& layers, std::size_t index) {
  return QStringLiteral("%1 is %2")
      .arg(index)
      .arg(shortLayerName(QString::fromStdString(layers[index])));
}

QString columnsText(const ModelCka& cka) {
  const QString first = nameOfLayer(cka.secondLayers, 0);
  if (cka.secondLayers.size() == 1) return first;
  return first + QStringLiteral(", ") + nameOfLayer(cka.secondLayers, cka.secondLayers.size() - 1);
}

}  // namespace

PanelFigure ckaFigure(const ModelCka& cka, const CkaSettings& settings) {
  FigureBlock block;
  block.caption = FigureCaption();
  const QString first = QString::fromStdString(cka.first);
  const QString second = QString::fromStdString(cka.second);
  block.caption->name = first;
  if (cka.first != cka.second) block.caption->name += QStringLiteral(" and ") + second;
  block.caption->detail = QStringLiteral("%1 pictures").arg(cka.pictures);
  QStringList about{QString::fromStdString(ckaSentence(cka)),
                    QStringLiteral("linear CKA of %1")
                        .arg(settings.of == CkaTokens::Mean
                                 ? QStringLiteral("the mean over patches behind each block")
                                 : QStringLiteral("all tokens behind each block"))};
  if (cka.batches > 1) about += QStringLiteral("%1 minibatches").arg(cka.batches);
  about += QString::fromStdString(undefinedText(cka));
  block.caption->about = joinedCaption(about);
  block.cells = {
      layerHeadCell(ckaMap(cka), QStringLiteral("rows: layers of %1").arg(first),
                    QStringLiteral("columns: layers of %1, %2").arg(second, columnsText(cka)))};
  PanelFigure figure;
  figure.widePanels = true;
  figure.blocks = {std::move(block)};
  figure.bars.push_back({ckaRange(cka), &colorMap(ckaColors), {}});
  return figure;
}

}  // namespace softscope
