#include "widgets/views/CompareArrangement.h"

#include "widgets/views/CompareLineView.h"

#include <algorithm>

namespace softscope {
namespace {

constexpr int widestPanel = 190;
constexpr int narrowestPanel = 84;
constexpr int widestTablePanel = 300;
/// Heads whose panels are at least so wide stand in one row.
constexpr int comfortablePanel = 120;
constexpr int comparedGap = 10;

/// Returns the width of panels of which `inBand` stand beside the picture.
int bandPanelWidth(int width, int inBand) {
  return std::min(widestTablePanel, (width - 2 * comparedGap) / (inBand + 1) - comparedGap);
}

using CompareLines = std::vector<CompareLineView*>;

/// Arranges a table of `across` cells a query, of which `inBand` stand side by side. Returns its
/// height.
int arrangeBands(const CompareLines& lines, int width, int across, int inBand) {
  const auto all = static_cast<std::size_t>(across);
  const auto each = static_cast<std::size_t>(inBand);
  const int panelWidth = bandPanelWidth(width, inBand);
  int headerHeight = 0;
  for (std::size_t i = 0; i < all; ++i) {
    headerHeight = std::max(headerHeight, lines[i]->cellHeaderHeight());
  }
  int top = 0;
  for (std::size_t first = 0; first < lines.size(); first += all) {
    for (std::size_t from = first; from < first + all; from += each) {
      int left = 0;
      int bottom = top;
      for (std::size_t i = from; i < std::min(from + each, first + all); ++i) {
        const int header = first == 0 || each < all ? headerHeight : 0;
        const QSize size = lines[i]->arrangeCell({panelWidth, header, i == from});
        lines[i]->setGeometry(QRect(QPoint(left, top), size));
        left += size.width() + comparedGap;
        bottom = std::max(bottom, top + size.height());
      }
      top = bottom;
    }
  }
  return top;
}

/// Arranges the lines as a table. Rows of many heads continue below. Returns its height; nothing if
/// its columns would be too narrow.
std::optional<int> arrangeTable(const CompareLines& lines, const CompareTable& table,
                                const QSize& room) {
  const int width = room.width();
  const int all = table.across;
  const int most = (width - 2 * comparedGap) / (narrowestPanel + comparedGap) - 1;
  const auto inBands = [&](int inBand) { return arrangeBands(lines, width, all, inBand); };
  if (!table.isOfHeads) {
    // A table of models is read across, so it is not continued below.
    return most < all ? std::nullopt : std::optional(inBands(all));
  }
  if (bandPanelWidth(width, all) >= comfortablePanel) return inBands(all);
  // The largest panels with which all heads are in sight; otherwise the smallest.
  for (int inBand = 2; inBand < std::min(most, all); ++inBand) {
    const int height = inBands(inBand);
    if (height <= room.height()) return height;
  }
  return most < 2 ? std::nullopt : std::optional(inBands(std::min(most, all)));
}

/// Arranges the lines below one another. Gives panels the largest width at which every line is in
/// sight, with headers where they leave the most room. Returns the height of all lines.
int arrangeBelow(const CompareLines& lines, const QSize& room) {
  const int width = room.width();
  using Header = CompareLineView::HeaderPlace;
  const auto heightWith = [&](int panelWidth, Header header) {
    int height = 0;
    for (const CompareLineView* line : lines) {
      height += line->arrangedHeight(width, panelWidth, header);
    }
    return height;
  };
  Header header = CompareLineView::headerPlaces(width).front();
  int panelWidth = 0;
  for (const Header tried : CompareLineView::headerPlaces(width)) {
    int tooWide = CompareLineView::panelRoom(width, tried) + 1;
    while (tooWide - panelWidth > 1) {
      const int middle = (panelWidth + tooWide) / 2;
      if (heightWith(middle, tried) > room.height()) {
        tooWide = middle;
      } else {
        panelWidth = middle;
        header = tried;
      }
    }
  }
  if (panelWidth < narrowestPanel) {
    // Lines that do not fit are scrolled.
    int most = 1;
    for (const CompareLineView* line : lines) most = std::max(most, line->panelCount());
    header = CompareLineView::headerPlaces(width).front();
    const int ofPanels = CompareLineView::panelRoom(width, header);
    const int inRow =
        std::clamp((ofPanels + comparedGap) / (narrowestPanel + comparedGap), 1, most);
    panelWidth = std::min(widestPanel, (ofPanels - (inRow - 1) * comparedGap) / inRow);
  }
  int top = 0;
  for (CompareLineView* line : lines) {
    const int height = line->arrangedHeight(width, panelWidth, header);
    line->arrange(width, panelWidth, header);
    line->setGeometry(0, top, width, height);
    top += height;
  }
  return top;
}

}  // namespace

int arrangeCompareLines(const std::vector<CompareLineView*>& lines,
                        const std::optional<CompareTable>& table, const QSize& room) {
  const std::optional<int> height = table ? arrangeTable(lines, *table, room) : std::nullopt;
  return height ? *height : arrangeBelow(lines, room);
}

}  // namespace softscope
