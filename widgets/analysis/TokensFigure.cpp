#include "widgets/analysis/TokensFigure.h"

#include "core/query/Caveats.h"
#include "core/text/Words.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

AttentionValues valuesOf(const TokenMap& map) {
  AttentionValues values;
  values.grid = map.of.layer().grid;
  values.onPicture = true;
  values.patches = map.values;
  return values;
}

QString counted(std::size_t count, const QString& one, const QString& several) {
  return count == 1 ? QStringLiteral("1 ") + one : QStringLiteral("%1 ").arg(count) + several;
}

QString tokenNote(const TokenMap& map) {
  switch (map.kind) {
    case TokenQuantity::Similarity:
      if (map.best) {
        return QStringLiteral("%1 at %2")
            .arg(valueText(map.values[*map.best], 2),
                 QString::fromStdString(patchName(map.of.layer(), *map.best)));
      }
      return QString::fromStdString(tokenNameOf(map));
    case TokenQuantity::Components:
      return QStringLiteral("%1, %2, %3 %")
          .arg(100 * map.explained[0], 0, 'f', 0)
          .arg(100 * map.explained[1], 0, 'f', 0)
          .arg(100 * map.explained[2], 0, 'f', 0);
    case TokenQuantity::Norms:
    case TokenQuantity::Matches:
      break;
  }
  return map.outliers.empty()
             ? QStringLiteral("no outlier")
             : counted(map.outliers.size(), QStringLiteral("outlier"), QStringLiteral("outliers"));
}

/// Returns the borders of some patches.
PatchOutline outlineOf(const TokenGrid& grid, const std::vector<int>& patches) {
  std::vector<QLineF> lines;
  for (const int patch : patches) {
    const double left = static_cast<double>(patch % grid.width) / grid.width;
    const double top = static_cast<double>(patch / grid.width) / grid.height;
    const QRectF box(left, top, 1.0 / grid.width, 1.0 / grid.height);
    lines.insert(lines.end(), {{box.topLeft(), box.topRight()},
                               {box.topRight(), box.bottomRight()},
                               {box.bottomRight(), box.bottomLeft()},
                               {box.bottomLeft(), box.topLeft()}});
  }
  return {std::move(lines), Qt::white, true};
}

QString outlierText(const TokenMap& map) {
  constexpr std::size_t listed = 4;
  const TokenGrid& grid = map.of.layer().grid;
  QStringList parts;
  for (std::size_t i = 0; i < std::min(listed, map.outliers.size()); ++i) {
    const int patch = map.outliers[i];
    parts += QStringLiteral("(%1, %2) %3")
                 .arg(patch / grid.width)
                 .arg(patch % grid.width)
                 .arg(valueText(map.values[patch], 3));
  }
  if (map.outliers.size() > listed) {
    parts += QStringLiteral("and %1 more").arg(map.outliers.size() - listed);
  }
  return parts.join(QStringLiteral(", "));
}

QString normsText(const std::vector<TokenMap>& maps) {
  QString text = QStringLiteral("l2 norm of each patch's token; outliers are framed");
  if (maps.size() != 1) return text;
  const TokenMap& map = maps.front();
  text += QStringLiteral(" · median %1").arg(valueText(map.median, 3));
  if (!map.outliers.empty()) text += QStringLiteral(" · outliers ") + outlierText(map);
  QStringList prefix;
  for (Eigen::Index i = 0; i < map.prefixNorms.size(); ++i) {
    prefix += valueText(map.prefixNorms[i], 3);
  }
  if (!prefix.isEmpty()) {
    text += QStringLiteral(" · tokens before the patches: ") + prefix.join(QStringLiteral(", "));
  }
  return text;
}

/// Returns which picture has the query; empty for one picture alone.
QString onAskedPicture(const TokenMap& map) {
  const std::string& picture = map.asked.picture;
  return picture.empty() ? QString()
                         : QStringLiteral(" on %1").arg(QString::fromStdString(picture));
}

/// Returns the names of the vectors in their order: `row 0 of words.npy and row 1 of words.npy`.
QString vectorNames(const std::vector<TokenMap>& maps) {
  constexpr qsizetype listed = 4;
  QStringList names;
  for (const TokenMap& map : maps) {
    const QString name = QString::fromStdString(map.vector->name);
    if (!names.contains(name)) names += name;
  }
  if (names.size() == 1) return names.front();
  const qsizetype more = names.size() - listed;
  if (more > 0) {
    return QStringLiteral("%1 vectors: ").arg(names.size()) +
           names.first(listed).join(QStringLiteral(", ")) + QStringLiteral(" and so on");
  }
  const QString last = names.takeLast();
  return names.join(QStringLiteral(", ")) + QStringLiteral(" and ") + last;
}

/// Returns `cosine similarity of each patch's token to cat.npy`; of models whose patches are
/// compared otherwise, both.
QString vectorsText(const std::vector<TokenMap>& maps) {
  QStringList parts;
  for (const TokenMap& map : maps) {
    const QString behind = QString::fromStdString(map.vector->behind);
    const QString part = behind.isEmpty() ? QStringLiteral("each patch's token")
                                          : QStringLiteral("each patch behind ") + behind;
    if (!parts.contains(part)) parts += part;
  }
  const bool isEarly =
      std::ranges::any_of(maps, [](const TokenMap& map) { return map.vector->isEarly; });
  return QStringLiteral("cosine similarity of %1 to ").arg(parts.join(QStringLiteral(", or of "))) +
         vectorNames(maps) +
         (isEarly ? QStringLiteral(" · norm and projection are those behind the last block")
                  : QString());
}

QString componentsText(const std::vector<TokenMap>& maps) {
  QString text = QStringLiteral(
      "the first three principal components of the patches' tokens as red, green and blue, beside "
      "the name their shares of the variance");
  if (!maps.front().fittedOn.empty()) {
    text +=
        QStringLiteral(" · fitted on ") + QString::fromStdString(listText(maps.front().fittedOn));
  }
  const int together = maps.front().together;
  if (together == 2) text += QStringLiteral(" · of both models together");
  if (together > 2) text += QStringLiteral(" · of all %1 models together").arg(together);
  if (const std::optional<double> least = maps.front().leastCosine) {
    return text + QStringLiteral(
                      " · of the foreground alone: a cosine of at least %1 to the token "
                      "of the query%2")
                      .arg(QString::number(*least), onAskedPicture(maps.front()));
  }
  const bool hasBackground = std::any_of(maps.begin(), maps.end(),
                                         [](const TokenMap& map) { return map.colors.hasNaN(); });
  if (hasBackground) text += QStringLiteral(" · of the foreground alone");
  return text;
}

/// Returns how many of a map's values are not finite; empty if all are, and for colours, which
/// leave the background out.
QString lackingTokens(const TokenMap& map) {
  if (map.kind == TokenQuantity::Components) return {};
  return QString::fromStdString(notFiniteText(valuesOf(map)));
}

bool isBeside(const AnalysedTokens& one, const AnalysedTokens& other) {
  return one.picture == other.picture && one.model == other.model;
}

}  // namespace

std::vector<HeadPanel> tokenPanels(const std::vector<TokenMap>& maps, const ViewSettings& view) {
  std::vector<AttentionValues> values;
  for (const TokenMap& map : maps) values.push_back(valuesOf(map));
  const std::vector<ValueRange> ranges = valueRanges(values, view);
  std::vector<HeadPanel> panels;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    HeadPanel panel;
    panel.title = shortLayerName(QString::fromStdString(maps[i].of.layer().layer));
    const QString lacking = lackingTokens(maps[i]);
    panel.note = lacking.isEmpty() ? tokenNote(maps[i]) : lacking;
    panel.values = std::move(values[i]);
    panel.range = ranges[i];
    panel.heat = heatmapStyle(view, ranges[i]);
    if (maps[i].kind == TokenQuantity::Components) {
      panel.colors = maps[i].colors;
      panel.colorBar = false;
    }
    const TokenGrid& grid = maps[i].of.layer().grid;
    if (!maps[i].outliers.empty()) panel.outlines = {outlineOf(grid, maps[i].outliers)};
    if (maps[i].best) panel.outlines = {outlineOf(grid, {*maps[i].best})};
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString tokensText(const std::vector<TokenMap>& maps) {
  switch (maps.front().kind) {
    case TokenQuantity::Components:
      return componentsText(maps);
    case TokenQuantity::Norms:
      return normsText(maps);
    case TokenQuantity::Similarity:
    case TokenQuantity::Matches:
      break;
  }
  if (maps.front().vector) return vectorsText(maps);
  QString text =
      QStringLiteral("cosine similarity of each patch's token to the token of the query");
  const auto elsewhere =
      std::ranges::find_if(maps, [](const TokenMap& map) { return map.best.has_value(); });
  if (elsewhere != maps.end()) {
    text += onAskedPicture(*elsewhere) +
            QStringLiteral(" · the patch of another picture that is most alike is framed");
  }
  return text;
}

QString tokenReading(const TokenMap& map, int row, int column) {
  const int patch = row * map.of.layer().grid.width + column;
  const QString picture =
      map.of.picture.empty() ? QString() : QString::fromStdString(map.of.picture) + ", ";
  const QString place = QStringLiteral("%1%2, patch (%3, %4): ")
                            .arg(picture, QString::fromStdString(map.of.layer().layer))
                            .arg(row)
                            .arg(column);
  const auto cosineText = [&](float cosine) {
    return QStringLiteral("cosine %1 to %2")
               .arg(valueText(cosine), QString::fromStdString(tokenNameOf(map))) +
           (map.vector || isAskedOn(map)
                ? QString()
                : QStringLiteral(" of %1").arg(QString::fromStdString(map.asked.picture)));
  };
  switch (map.kind) {
    case TokenQuantity::Similarity:
      return place + cosineText(map.values[patch]);
    case TokenQuantity::Norms:
      return place +
             QStringLiteral("norm %1, %2 times the median")
                 .arg(valueText(map.values[patch]), valueText(map.values[patch] / map.median, 3));
    case TokenQuantity::Components:
    case TokenQuantity::Matches:
      break;
  }
  const QString likeness =
      map.leastCosine ? QStringLiteral(", ") + cosineText(map.cosines[patch]) : QString();
  if (std::isnan(map.colors(patch, 0))) return place + QStringLiteral("background") + likeness;
  return place +
         QStringLiteral("components %1, %2, %3")
             .arg(valueText(map.colors(patch, 0), 2), valueText(map.colors(patch, 1), 2),
                  valueText(map.colors(patch, 2), 2)) +
         likeness;
}

PanelFigure tokensFigure(const std::vector<TokenMap>& maps, const std::vector<MarkedQuery>& queries,
                         const ViewSettings& view) {
  std::vector<HeadPanel> panels = tokenPanels(maps, view);
  PanelFigure figure;
  for (std::size_t first = 0; first < maps.size();) {
    const AnalysedTokens of = maps[first].of;
    PictureBlock block{.region = of.region, .grid = of.layer().grid};
    std::vector<TokenMap> shown;
    for (; first < maps.size() && isBeside(maps[first].of, of); ++first) {
      HeadPanel& panel = panels[first];
      const TokenMap& map = maps[first];
      if (isAskedOn(map) && map.token >= map.of.layer().prefix()) {
        panel.query = markOn(map.of.layer().grid, extentOf(of.shown.get(), map.of.region),
                             map.query, queries);
      }
      block.panels.push_back(std::move(panel));
      shown.push_back(map);
    }
    block.caption.name = QString::fromStdString(of.model);
    block.caption.detail = QString::fromStdString(of.mechanismNote);
    block.caption.about = tokensText(shown);
    for (const TokenMap& map : shown) {
      const QString lacking = lackingTokens(map);
      if (lacking.isEmpty()) continue;
      block.caption.about += captionSeparator +
                             shortLayerName(QString::fromStdString(map.of.layer().layer)) +
                             QStringLiteral(": ") + lacking;
    }
    FigureBlock made = pictureBlock(std::move(block), of.shown);
    if (of.shown && !of.picture.empty()) {
      made.cells.front().panel.title = QString::fromStdString(of.picture);
    }
    figure.blocks.push_back(std::move(made));
  }
  return figure;
}

}  // namespace softscope
