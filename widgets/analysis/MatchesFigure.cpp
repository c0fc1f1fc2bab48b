#include "widgets/analysis/TokensFigure.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

QPointF centreOf(const TokenGrid& grid, int patch) {
  return {(patch % grid.width + 0.5) / grid.width, (patch / grid.width + 0.5) / grid.height};
}

QString matchNote(const LayerMatches& of) {
  if (of.matches.size() == 1) {
    const TokenMatch& match = of.matches.front();
    const QString text = QStringLiteral("%1 at %2")
                             .arg(valueText(match.cosine, 2),
                                  QString::fromStdString(patchName(of.other.layer(), match.other)));
    return match.mutual ? text : text + QStringLiteral(", not mutual");
  }
  return QStringLiteral("%1 of %2 mutual").arg(mutualCount(of)).arg(of.matches.size());
}

bool isBesideMatches(const LayerMatches& one, const LayerMatches& other) {
  return one.of.model == other.of.model && one.other.picture == other.other.picture;
}

}  // namespace

std::vector<MatchPanel> matchPanels(const std::vector<LayerMatches>& matches, int lines,
                                    const std::vector<MarkedQuery>& queries,
                                    CroppedPictures& parts) {
  std::vector<MatchPanel> panels;
  for (const LayerMatches& of : matches) {
    MatchPanel panel;
    panel.title = shortLayerName(QString::fromStdString(of.of.layer().layer));
    panel.note = matchNote(of);
    panel.left = parts.of(of.of.shown, of.of.region);
    panel.right = parts.of(of.other.shown, of.other.region);
    for (const TokenMatch& match : drawnMatches(of, lines)) {
      const QPointF from = centreOf(of.of.layer().grid, match.patch);
      panel.lines.push_back({from, centreOf(of.other.layer().grid, match.other), matchColor(from)});
    }
    // The most similar lie on top.
    std::ranges::reverse(panel.lines);
    if (!of.queries.empty()) {
      const PictureExtent extent = extentOf(of.of.shown.get(), of.of.region);
      for (const MarkedQuery& query : queries) {
        panel.queries.push_back(patchMark(of.of.layer().grid, extent, query));
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString matchesText(const std::vector<LayerMatches>& matches, int lines) {
  const LayerMatches& first = matches.front();
  QString text = QStringLiteral(
                     "lines join patches of %1 and %2 that are mutual nearest "
                     "neighbours by the cosine of their tokens")
                     .arg(QString::fromStdString(first.of.picture),
                          QString::fromStdString(first.other.picture));
  const bool leavesOut =
      std::ranges::any_of(matches, [&](const LayerMatches& of) { return mutualCount(of) > lines; });
  if (leavesOut) {
    text += captionSeparator + QStringLiteral("the %1 with the largest cosine").arg(lines);
  }
  return text;
}

PanelFigure matchesFigure(const std::vector<LayerMatches>& matches, int lines,
                          const std::vector<MarkedQuery>& queries) {
  CroppedPictures parts;
  const std::vector<MatchPanel> panels = matchPanels(matches, lines, queries, parts);
  PanelFigure figure;
  figure.widePanels = true;
  for (std::size_t first = 0; first < matches.size();) {
    const LayerMatches& of = matches[first];
    FigureBlock block;
    std::vector<LayerMatches> shown;
    for (; first < matches.size() && isBesideMatches(matches[first], of); ++first) {
      const MatchPanel& panel = panels[first];
      FigureCell cell;
      cell.panel.title = panel.title;
      cell.panel.note = panel.note;
      cell.panel.colorBar = false;
      cell.aspect = matchAspect(panel);
      cell.drawing = [panel](QPainter& painter, const QRectF& place, const FigureStyle& style) {
        paintMatches(painter, place, panel, style);
      };
      block.cells.push_back(std::move(cell));
      shown.push_back(matches[first]);
    }
    block.caption = FigureCaption{.name = QString::fromStdString(of.of.model),
                                  .detail = QString::fromStdString(of.of.mechanismNote),
                                  .result = {},
                                  .about = matchesText(shown, lines)};
    figure.blocks.push_back(std::move(block));
  }
  return figure;
}

}  // namespace softscope
