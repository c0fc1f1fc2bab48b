#include "widgets/figure/QueriedPanels.h"

#include "core/query/Caveats.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <utility>

namespace softscope {

FigureBlock pictureBlock(PictureBlock block, const std::shared_ptr<const Picture>& picture) {
  const auto cropped =
      picture ? std::make_shared<const CroppedPicture>(pictureImage(picture), block.region)
              : nullptr;
  const bool isSeen = picture && block.region.height > 0;
  const double aspect = isSeen ? block.region.width / block.region.height
                               : static_cast<double>(block.grid.width) / block.grid.height;
  FigureBlock made;
  made.caption = std::move(block.caption);
  if (picture) {
    HeadPanel panel;
    panel.title = QStringLiteral("picture");
    panel.colorBar = false;
    made.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  for (HeadPanel& panel : block.panels) {
    made.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  return made;
}

std::optional<QueryMark> markOn(const TokenGrid& grid, const PictureExtent& extent,
                                const PictureQuery& query, const std::vector<MarkedQuery>& marked) {
  for (const MarkedQuery& mark : marked) {
    if (mark.query == query) return patchMark(grid, extent, mark);
  }
  return std::nullopt;
}

namespace {

std::optional<QueryMark> markOf(const QueriedLayer& asked, const MarkedQuery& query) {
  return tokenMark(asked.attention(), asked.direction, asked.token, asked.seen, query);
}

}  // namespace

std::optional<QueryMark> tokenMark(const AttentionDescription& attention, Direction direction,
                                   int token, const PictureExtent& seen, const MarkedQuery& query) {
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  if (!grid || singleTokenAt(attention, direction, token)) return std::nullopt;
  return patchMark(*grid, seen, query);
}

double panelAspect(const Picture* picture, const PictureRegion& region,
                   const AttentionDescription& attention, Direction direction) {
  if (picture && region.height > 0) return region.width / region.height;
  const auto grid = answerGrid(attention, direction);
  return grid && grid->height > 0 ? double(grid->width) / grid->height : 1;
}

QString caveatsText(const QueriedLayer& asked, const std::vector<AttentionValues>& values) {
  QString text;
  for (const std::string& caveat : captionCaveats(asked, values)) {
    text += captionSeparator + QString::fromStdString(caveat);
  }
  return text;
}

HeadPanel picturePanel(const QueriedLayer& asked, const MarkedQuery& query) {
  HeadPanel panel;
  panel.title = QString::fromStdString(tokenName(asked.attention(), asked.direction, asked.token));
  panel.query = markOf(asked, query);
  if (panel.query && isOutside(asked.seen, query.query)) panel.title += QStringLiteral(", nearest");
  if (!query.letter.isEmpty()) {
    panel.title = query.letter + QStringLiteral(" · ") + panel.title;
  }
  panel.colorBar = false;
  return panel;
}

HeadPanel headPanel(const QueriedLayer& asked, const MarkedQuery& query, AttentionValues values,
                    const ValueRange& range, const ViewSettings& view) {
  HeadPanel panel;
  panel.title = headText(values.head);
  panel.note = panelNote(asked.attention(), values, asked.direction, asked.likeness.get());
  panel.range = range;
  panel.heat = heatmapStyle(view, range);
  panel.query = markOf(asked, query);
  panel.outlines = windowOutlines(values);
  panel.values = std::move(values);
  return panel;
}

}  // namespace softscope
