#include "widgets/figure/PanelLayout.h"

#include "core/Error.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/FittedText.h"
#include "widgets/plot/LabelRoom.h"
#include "widgets/plot/PlotPainter.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

constexpr double unit = PanelLayout::unitsPerMillimetre;
constexpr double figureMargin = 1.5 * unit;
constexpr double layoutGap = 2.4 * unit;
constexpr double blockGap = 1.8 * layoutGap;
constexpr double leastPanel = 3 * unit;
/// Width that a panel needs per point of font size, so that its title and numbers are legible.
constexpr double widthPerPoint = 3 * unit;
/// Number of picture widths that a plot needs to be as legible.
constexpr int panelsOfAPlot = 2;
/// Lines that a name above a column may take.
constexpr int mostHeadLines = 3;

double innerWidth(const FigureSettings& settings) {
  return settings.width * unit - 2 * figureMargin;
}

/// Walks down a figure and determines the place of everything.
class Layouter {
 public:
  explicit Layouter(const PanelFigure& figure) : figure_(figure) {
    layout_.style = printStyle(figure.settings);
    inner_ = innerWidth(figure.settings);
    figureColumns_ = chooseColumns();
    takeColumns(figureColumns_);
    lettersOfColumns_ = figure.settings.letters && !figure.columnHeads.empty();
    lettersOfBlocks_ = figure.settings.letters && !lettersOfColumns_ && figure.blocks.size() > 1;
    lettersOfPanels_ = figure.settings.letters && !lettersOfColumns_ && !lettersOfBlocks_;
  }

  PanelLayout place() {
    placeColumnHeads();
    for (std::size_t i = 0; i < figure_.blocks.size(); ++i) {
      if (i > 0) top_ += figure_.columnHeads.empty() ? blockGap : layoutGap;
      placeBlock(figure_.blocks[i]);
    }
    if (!figure_.bars.empty() && figure_.settings.colorBars) top_ += layoutGap / 2;
    for (const FigureBar& bar : figure_.bars) placeBar(bar);
    layout_.size = QSizeF(figure_.settings.width * unit, top_ + figureMargin);
    return std::move(layout_);
  }

 private:
  int chooseColumns() const {
    if (!figure_.columnHeads.empty()) return static_cast<int>(figure_.columnHeads.size());
    if (figure_.settings.columns > 0) return figure_.settings.columns;
    int most = 1;
    for (const FigureBlock& block : figure_.blocks) {
      if (block.columns > 0) continue;
      most = std::max(most, static_cast<int>(block.cells.size()));
    }
    int fitting =
        std::max(1, fittingColumns(figure_.settings) / (figure_.widePanels ? panelsOfAPlot : 1));
    if (figure_.mostColumns > 0) fitting = std::min(fitting, figure_.mostColumns);
    const int lines = (most + fitting - 1) / fitting;
    return (most + lines - 1) / lines;
  }

  /// Returns the largest divisor of the block's number of columns that remains legible.
  int ownColumns(const FigureBlock& block) const {
    if (figure_.settings.columns > 0) return figure_.settings.columns;
    const bool plots = !block.cells.empty() && block.cells.front().drawing;
    const int fitting = fittingColumns(figure_.settings) / (plots ? panelsOfAPlot : 1);
    int columns = block.columns;
    while (columns > 1 && (columns > fitting || block.columns % columns != 0)) --columns;
    return columns;
  }

  void takeColumns(int columns) {
    columns_ = columns;
    panelWidth_ = (inner_ - (columns_ - 1) * layoutGap) / columns_;
    if (panelWidth_ < leastPanel) refuse();
  }

  [[noreturn]] void refuse() const {
    const int fitting = static_cast<int>((inner_ + layoutGap) / (leastPanel + layoutGap));
    throw Error("a figure " + std::to_string(std::lround(figure_.settings.width)) +
                " mm wide has no room for " + std::to_string(columns_) +
                " columns of panels; take at most " + std::to_string(std::max(0, fitting)) +
                ", or a wider figure");
  }

  QString nextLetter() { return QStringLiteral("(%1)").arg(queryLetter(letter_++).toLower()); }

  double columnLeft(int column) const { return figureMargin + column * (panelWidth_ + layoutGap); }

  /// Places a caption and returns its height; 0 if it is empty.
  double placeCaption(const FigureCaption& caption, const QPointF& corner, double width,
                      const QString& letter) {
    PlacedCaption placed;
    placed.letter = letter;
    if (figure_.settings.titles) {
      placed.text = caption;
      placeName(placed, width);
      placed.about = brokenLines(caption.about, width, QFontMetricsF(layout_.style.small));
    }
    const bool first = !letter.isEmpty() || !placed.text.name.isEmpty() ||
                       !placed.text.detail.isEmpty() || !placed.text.result.isEmpty();
    if (!first && placed.about.isEmpty()) return 0;
    const qsizetype titleLines =
        std::max<qsizetype>(1, placed.names.size()) + (placed.isDetailBelow ? 1 : 0);
    const qsizetype aboutLines = std::max<qsizetype>(placed.text.aboutLines, placed.about.size());
    const double height = titleLines * QFontMetricsF(layout_.style.title).height() +
                          aboutLines * QFontMetricsF(layout_.style.small).height();
    placed.place = QRectF(corner, QSizeF(width, height));
    layout_.captions.push_back(placed);
    return height + layout_.style.gap;
  }

  /// A name is never elided: it takes as many lines as it needs.
  void placeName(PlacedCaption& placed, double width) const {
    const FigureCaption& caption = placed.text;
    const double gap = layout_.style.gap;
    QFont bold = layout_.style.title;
    bold.setBold(true);
    const QFontMetricsF names(bold);
    const QFontMetricsF details(layout_.style.title);
    double room = width;
    if (!placed.letter.isEmpty()) room -= names.horizontalAdvance(placed.letter) + gap;
    if (!caption.result.isEmpty()) room -= details.horizontalAdvance(caption.result) + 2 * gap;
    if (!caption.name.isEmpty()) placed.names = brokenWords(caption.name, room, names);
    if (caption.detail.isEmpty() || placed.names.isEmpty()) return;
    const double used = names.horizontalAdvance(placed.names.last()) + gap;
    placed.isDetailBelow = used + details.horizontalAdvance(caption.detail) > room;
  }

  /// Returns the names above columns. Where one would take many lines in its narrow column, all are
  /// shortened to what tells them apart.
  QStringList headNames() const {
    QStringList names;
    for (const FigureCaption& head : figure_.columnHeads) names += head.name;
    QFont bold = layout_.style.title;
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    const bool fits = std::all_of(names.begin(), names.end(), [&](const QString& name) {
      return brokenWords(name, panelWidth_, metrics).size() <= mostHeadLines;
    });
    // Lines break at joints, so that they are rarely full.
    constexpr double filled = 0.75;
    return fits ? names : namesApart(names, metrics, filled * mostHeadLines * panelWidth_);
  }

  void placeColumnHeads() {
    const QStringList names = headNames();
    double tallest = 0;
    for (std::size_t i = 0; i < figure_.columnHeads.size(); ++i) {
      // The first column holds the picture and gets no letter.
      const QString letter = lettersOfColumns_ && i > 0 ? nextLetter() : QString();
      const QPointF corner(columnLeft(static_cast<int>(i)), top_);
      FigureCaption head = figure_.columnHeads[i];
      head.name = names[static_cast<qsizetype>(i)];
      tallest = std::max(tallest, placeCaption(head, corner, panelWidth_, letter));
    }
    top_ += tallest;
  }

  void placeBlock(const FigureBlock& block) {
    const QString letter = lettersOfBlocks_ ? nextLetter() : QString();
    const double caption = placeCaption(block.caption.value_or(FigureCaption{}),
                                        QPointF(figureMargin, top_), inner_, letter);
    top_ += caption > 0 ? caption + layout_.style.gap / 2 : 0;
    takeColumns(block.columns > 0 ? ownColumns(block) : figureColumns_);
    const auto count = static_cast<int>(block.cells.size());
    for (int from = 0; from < count; from += columns_) {
      if (from > 0) top_ += layoutGap;
      placeLine(block, from, std::min(count, from + columns_));
    }
    if (block.bar) placeBar(*block.bar);
    placeLegend(legendFor(block.plots));
  }

  void placeLine(const FigureBlock& block, int from, int to) {
    double tallest = 0;
    for (int i = from; i < to; ++i) {
      const FigureCell& cell = block.cells[static_cast<std::size_t>(i)];
      const bool bar = cell.panel.colorBar && figure_.settings.colorBars;
      const bool title = figure_.settings.titles || lettersOfPanels_;
      const double height =
          panelWidth_ / cell.aspect + headPanelOverhead(layout_.style, bar, title);
      const QRectF place(columnLeft(i - from), top_, panelWidth_, height);
      layout_.cells.push_back({&cell,
                               layoutHeadPanel(place, cell.aspect, bar, layout_.style, title),
                               lettersOfPanels_ ? nextLetter() : QString()});
      tallest = std::max(tallest, height);
    }
    top_ += tallest;
  }

  /// The bar is placed below the first heat map, its label below the picture left of that.
  void placeBar(const FigureBar& bar) {
    if (!figure_.settings.colorBars) return;
    top_ += layout_.style.gap;
    const double height = colorBarHeight(layout_.style);
    const double label = QFontMetricsF(layout_.style.small).height();
    const QRectF beside(figureMargin, top_, panelWidth_, label);
    if (columns_ == 1 && !bar.label.isEmpty()) top_ += label;
    layout_.bars.push_back(
        {QRectF(columnLeft(columns_ > 1 ? 1 : 0), top_, panelWidth_, height), beside, bar});
    top_ += height;
  }

  std::vector<LegendEntry> legendFor(const std::vector<Plot>& plots) const {
    const bool labelled = std::ranges::all_of(plots, [&](const Plot& plot) {
      return labelsFit(plot, QSizeF(panelWidth_, panelWidth_ / plot.aspect), layout_.style);
    });
    return labelled ? legendBesideLabels(plots) : legendOf(plots);
  }

  void placeLegend(std::vector<LegendEntry> entries) {
    if (entries.empty()) return;
    top_ += 1.5 * layout_.style.gap;
    const double height = legendHeight(entries, inner_, layout_.style);
    layout_.legends.push_back({QRectF(figureMargin, top_, inner_, height), std::move(entries)});
    top_ += height;
  }

  const PanelFigure& figure_;
  PanelLayout layout_;
  double inner_ = 0;
  int figureColumns_ = 1;
  /// Number of columns of the block that is being placed.
  int columns_ = 1;
  double panelWidth_ = 0;
  bool lettersOfColumns_ = false;
  bool lettersOfBlocks_ = false;
  bool lettersOfPanels_ = false;
  int letter_ = 0;
  double top_ = figureMargin;
};

}  // namespace

int fittingColumns(const FigureSettings& settings) {
  if (settings.columns > 0) return settings.columns;
  const double narrowest = widthPerPoint * settings.points;
  return std::max(1,
                  static_cast<int>((innerWidth(settings) + layoutGap) / (narrowest + layoutGap)));
}

PanelLayout layoutPanelFigure(const PanelFigure& figure) {
  return Layouter(figure).place();
}

}  // namespace softscope
