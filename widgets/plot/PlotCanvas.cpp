#include "widgets/plot/PlotCanvas.h"

#include "widgets/plot/CurveLabels.h"
#include "widgets/plot/LabelRoom.h"
#include "widgets/plot/PlotRange.h"
#include "widgets/plot/QCustomPlotHeader.h"

#include <QtCore/QLocale>
#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace softscope {

int OneTwoFiveTicker::getSubTickCount(double) {
  return 0;
}

QVector<double> OneTwoFiveTicker::createTickVector(double tickStep, const QCPRange& range) {
  const int first = static_cast<int>(std::floor(std::log10(range.lower)));
  const int last = static_cast<int>(std::floor(std::log10(range.upper)));
  // An axis may be zoomed out to more decades than leave room for three ticks each.
  constexpr int mostDecades = 3;
  const bool many = last - first > mostDecades;
  const std::vector<double> multiples = many ? std::vector{1.0} : std::vector{1.0, 2.0, 5.0};
  QVector<double> ticks;
  for (int decade = first; decade <= last; ++decade) {
    for (const double multiple : multiples) {
      const double tick = multiple * std::pow(10.0, decade);
      if (range.contains(tick)) ticks.append(tick);
    }
  }
  constexpr int fewest = 3;
  return ticks.size() < fewest ? QCPAxisTicker::createTickVector(tickStep, range) : ticks;
}

namespace {

/// Within one or two decades a logarithmic ticker would have one number or none.
bool spansDecades(const PlotAxis& axis, const QCPRange& range) {
  if (!axis.logarithmic || std::log10(range.upper / range.lower) <= 1.7) return false;
  return std::floor(std::log10(range.upper)) > std::ceil(std::log10(range.lower));
}

/// Places ticks at whole numbers only.
class WholeTicker : public QCPAxisTicker {
 public:
  // Five numbers of four digits, as ranks of patches have, would run into each other.
  WholeTicker() { setTickCount(4); }

 protected:
  double getTickStep(const QCPRange& range) override {
    const double step = QCPAxisTicker::getTickStep(range);
    // Rounded up, 2.5 would be 3: 0, 3, 6, 9 reads worse than 0, 2, 4, 6.
    return std::max(1.0, step < 10 ? std::floor(step) : std::round(step));
  }
  int getSubTickCount(double step) override {
    return step < 10 ? static_cast<int>(step) - 1 : QCPAxisTicker::getSubTickCount(step);
  }
};

QSharedPointer<QCPAxisTicker> tickerOf(const PlotAxis& axis, const QCPRange& range) {
  if (!axis.names.empty()) {
    QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    for (std::size_t i = 0; i < axis.names.size(); ++i) {
      if (!axis.names[i].isEmpty()) names->addTick(static_cast<double>(i), axis.names[i]);
    }
    return names;
  }
  if (spansDecades(axis, range)) return QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog);
  if (axis.logarithmic) return QSharedPointer<QCPAxisTicker>(new OneTwoFiveTicker);
  if (axis.counts) return QSharedPointer<QCPAxisTicker>(new WholeTicker);
  return QSharedPointer<QCPAxisTicker>(new QCPAxisTicker);
}

/// Returns the significant digits that tell neighbouring ticks of a range apart; four or more.
int tickDigits(const QCPRange& range) {
  constexpr int fewest = 4;
  constexpr int most = 12;
  // An axis has about five ticks, so that no step is below a tenth of the range.
  const double step = range.size() / 10;
  const double largest = std::max(std::abs(range.lower), std::abs(range.upper));
  if (!(step > 0) || !std::isfinite(largest)) return fewest;
  // Steps may be a quarter of a power of ten, which takes a digit more. None is written in vain:
  // zeros at the end are left out.
  const double digits = std::floor(std::log10(largest)) - std::floor(std::log10(step)) + 2;
  return static_cast<int>(std::clamp<double>(digits, fewest, most));
}

void prepareAxis(QCPAxis& axis, const PlotAxis& shown, const std::pair<double, double>& ends,
                 const FigureStyle& style) {
  axis.setScaleType(shown.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  axis.setRange(QCPRange(ends.first, ends.second));
  adaptTicks(axis, shown);
  axis.setTickLabelRotation(standOnEnd(shown.names) ? -90 : 0);
  axis.setLabel(shown.label);
  axis.setLabelFont(style.small);
  axis.setLabelColor(style.text);
  axis.setTickLabelFont(style.small);
  axis.setTickLabelColor(style.muted);
  const QPen pen(style.frame, style.hairline);
  axis.setBasePen(pen);
  axis.setTickPen(pen);
  axis.setSubTickPen(pen);
  const auto gap = static_cast<int>(std::lround(style.gap));
  axis.setTickLength(0, gap);
  axis.setSubTickLength(0, gap / 2);
  axis.setTickLabelPadding(gap);
  axis.setLabelPadding(gap);
  axis.setPadding(gap / 2);
  QColor faint = style.frame;
  faint.setAlpha(90);
  axis.grid()->setPen(QPen(faint, style.hairline * 0.7));
  axis.grid()->setZeroLinePen(Qt::NoPen);
  axis.grid()->setVisible(shown.names.empty());
}

/// Returns the order of a curve's points. Bars of errors belong to points by their places, so these
/// points are sorted here, as QCustomPlot sorts those of other curves.
std::vector<std::size_t> drawnOrder(const PlotCurve& curve) {
  std::vector<std::size_t> order(std::min(curve.x.size(), curve.y.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!curve.reach.empty()) {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return curve.x[i]; });
  }
  return order;
}

void addCurve(QCustomPlot& canvas, const Plot& plot, const PlotCurve& curve,
              const FigureStyle& style) {
  QCPGraph* graph = canvas.addGraph();
  graph->setName(curve.name);
  graph->setPen(curvePen(curve.line, curve.color, style));
  graph->setAdaptiveSampling(false);
  if (curve.line == PlotCurve::Line::None) graph->setLineStyle(QCPGraph::lsNone);
  if (curve.points || curve.line == PlotCurve::Line::None) {
    QCPScatterStyle points(QCPScatterStyle::ssDisc, curve.color, curve.color, pointSize(style));
    if (curve.marker == PlotCurve::Marker::Cross) {
      points = QCPScatterStyle(QCPScatterStyle::ssCross, crossPen(curve.color, style), Qt::NoBrush,
                               crossSize(style));
    }
    graph->setScatterStyle(points);
  }
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  QVector<double> x;
  QVector<double> y;
  QVector<double> below;
  QVector<double> above;
  for (const std::size_t i : drawnOrder(curve)) {
    if (!isDrawable(curve.x[i], plot.x)) continue;
    x.append(curve.x[i]);
    // A value that cannot be drawn becomes NaN, which interrupts the line.
    y.append(isDrawable(curve.y[i], plot.y) ? curve.y[i] : nothing);
    const double reach = i < curve.reach.size() ? curve.reach[i] : nothing;
    // A logarithmic axis has no place for what reaches below zero; the bar ends at the axis.
    const double room = std::max(0.0, curve.y[i] - canvas.yAxis->range().lower);
    below.append(plot.y.logarithmic && reach > room ? room : reach);
    above.append(reach);
  }
  graph->setData(x, y, !curve.reach.empty());
  if (curve.reach.empty()) return;
  auto* bars = new QCPErrorBars(canvas.xAxis, canvas.yAxis);
  bars->setDataPlottable(graph);
  bars->setErrorType(QCPErrorBars::etValueError);
  bars->setPen(QPen(curve.color, style.hairline * 1.2));
  bars->setWhiskerWidth(2 * pointSize(style));
  bars->setSymbolGap(0);
  bars->setData(below, above);
}

void addBox(QCustomPlot& canvas, const PlotBox& box, const FigureStyle& style) {
  auto* drawn = new QCPStatisticalBox(canvas.xAxis, canvas.yAxis);
  drawn->setName(box.name);
  drawn->setWidth(box.width);
  drawn->setWhiskerWidth(box.width / 2);
  QColor fill = box.color;
  fill.setAlpha(90);
  const QPen pen(box.color, style.hairline);
  drawn->setBrush(fill);
  drawn->setPen(pen);
  drawn->setWhiskerPen(pen);
  drawn->setWhiskerBarPen(pen);
  drawn->setMedianPen(QPen(box.color, style.hairline * 2.2, Qt::SolidLine, Qt::FlatCap));
  drawn->addData(box.x, box.low, box.quartile1, box.median, box.quartile3, box.high);
}

/// Adds a band behind all curves. Its graphs come after those of the curves, so that the canvas's
/// first graphs have the indices of the curves.
void addBand(QCustomPlot& canvas, const PlotBand& band) {
  QCPGraph* low = canvas.addGraph();
  QCPGraph* high = canvas.addGraph();
  for (QCPGraph* graph : {low, high}) {
    graph->setPen(Qt::NoPen);
    graph->setLayer(QStringLiteral("grid"));
  }
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    low->addData(band.x[i], band.low[i]);
    high->addData(band.x[i], band.high[i]);
  }
  high->setBrush(bandColor(band, 1));
  high->setChannelFillGraph(low);
}

void addBars(QCustomPlot& canvas, const PlotCurve& curve, QCPBarsGroup& group, double width,
             const FigureStyle& style) {
  auto* bars = new QCPBars(canvas.xAxis, canvas.yAxis);
  bars->setName(curve.name);
  if (curve.barWidth > 0) {
    // The bars touch each other.
    bars->setWidth(curve.barWidth);
  } else {
    bars->setWidth(width);
    bars->setBarsGroup(&group);
  }
  bars->setPen(QPen(curve.color, style.hairline));
  bars->setBrush(curve.color);
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    if (std::isfinite(curve.y[i])) bars->addData(curve.x[i], curve.y[i]);
  }
}

void addLevel(QCustomPlot& canvas, const PlotLevel& level, const FigureStyle& style) {
  const bool across = level.orientation == Qt::Horizontal;
  const QCPRange range = (across ? canvas.yAxis : canvas.xAxis)->range();
  if (!range.contains(level.value)) return;
  auto* line = new QCPItemStraightLine(&canvas);
  const double other = (across ? canvas.xAxis : canvas.yAxis)->range().upper;
  const double before = (across ? canvas.xAxis : canvas.yAxis)->range().lower;
  line->point1->setCoords(across ? before : level.value, across ? level.value : before);
  line->point2->setCoords(across ? other : level.value, across ? level.value : other);
  line->setPen(QPen(style.muted, style.hairline, Qt::DashDotLine));
  // The labels of horizontal levels must not cover curves; see CurveLabels.
  if (level.label.isEmpty() || across) return;
  auto* label = new QCPItemText(&canvas);
  label->setText(level.label);
  label->setFont(style.small);
  label->setColor(style.muted);
  label->setClipToAxisRect(false);
  const auto gap = static_cast<int>(std::lround(style.gap / 2));
  label->setPadding(QMargins(gap, gap, gap, gap));
  label->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
  label->position->setTypeX(QCPItemPosition::ptPlotCoords);
  label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
  label->position->setCoords(level.value, 0);
}

}  // namespace

QColor bandColor(const PlotBand& band, double opacity) {
  QColor color = band.color;
  color.setAlphaF(static_cast<float>(0.235 * opacity));
  return color;
}

QPen curvePen(PlotCurve::Line line, const QColor& color, const FigureStyle& style) {
  QPen pen(color, style.hairline * 1.6);
  pen.setJoinStyle(Qt::RoundJoin);
  pen.setCapStyle(Qt::FlatCap);
  if (line == PlotCurve::Line::Dashed) pen.setDashPattern({4, 2.5});
  if (line == PlotCurve::Line::Dotted) pen.setDashPattern({1.2, 2});
  if (line == PlotCurve::Line::None) pen.setStyle(Qt::NoPen);
  return pen;
}

double pointSize(const FigureStyle& style) {
  return 4.5 * style.hairline;
}

double crossSize(const FigureStyle& style) {
  return 8 * style.hairline;
}

QPen crossPen(const QColor& color, const FigureStyle& style) {
  return {color, 1.3 * style.hairline};
}

void adaptTicks(QCPAxis& axis, const PlotAxis& shown) {
  const QCPRange range = axis.range();
  const bool decades = spansDecades(shown, range);
  axis.setTicker(tickerOf(shown, range));
  axis.setNumberFormat(decades ? QStringLiteral("eb") : QStringLiteral("gb"));
  axis.setNumberPrecision(decades ? 0 : tickDigits(range));
}

double heightBelowAxes(const PlotAxis& axis, const FigureStyle& style) {
  return heightBelowAxes(axis, style, standOnEnd(axis.names));
}

double heightBelowAxes(const PlotAxis& axis, const FigureStyle& style, bool onEnd) {
  const QFontMetricsF metrics(style.small);
  double names = metrics.height();
  if (onEnd) {
    for (const QString& name : axis.names) names = std::max(names, metrics.horizontalAdvance(name));
  }
  return names + metrics.height() + 4 * style.gap;
}

bool standOnEnd(const std::vector<QString>& names) {
  constexpr std::size_t fewest = 7;
  constexpr qsizetype mostLetters = 26;
  qsizetype letters = 0;
  for (const QString& name : names) letters += name.size();
  return names.size() >= fewest || letters > mostLetters;
}

double namesWidth(const std::vector<QString>& names, bool onEnd, const FigureStyle& style) {
  constexpr double fewestPixels = 15;
  const QFontMetricsF metrics(style.small);
  double widest = 0;
  for (const QString& name : names) widest = std::max(widest, metrics.horizontalAdvance(name));
  const double each = onEnd ? std::max(fewestPixels, metrics.height()) : widest + 2 * style.gap;
  return each * static_cast<double>(names.size());
}

double numbersWidth(const FigureStyle& style) {
  constexpr double fewestPixels = 60;
  const QFontMetricsF metrics(style.small);
  return std::max(fewestPixels, metrics.horizontalAdvance(QStringLiteral("0.0000")) +
                                    metrics.height() + 4 * style.gap);
}

CurveLabels* preparePlot(QCustomPlot& canvas, const Plot& plot, const FigureStyle& style,
                         bool labelled) {
  // Without this, numbers of axes would follow the widget's locale.
  canvas.setLocale(QLocale::c());
  canvas.clearPlottables();
  canvas.clearItems();
  canvas.setBackground(style.ground.isValid() ? QBrush(style.ground) : QBrush(Qt::NoBrush));
  const PlotRange range = rangeOf(plot);
  prepareAxis(*canvas.xAxis, plot.x, range.x, style);
  prepareAxis(*canvas.yAxis, plot.y, range.y, style);
  const auto gap = static_cast<int>(std::lround(style.gap));
  const double labels = labelled ? labelsWidth(plot, style) : 0;
  const auto right = labels > 0 ? static_cast<int>(std::ceil(labels)) + 4 * gap : 2 * gap;
  canvas.axisRect()->setMinimumMargins(QMargins(gap, gap, right, gap));
  int bars = 0;
  for (const PlotCurve& curve : plot.curves) bars += curve.line == PlotCurve::Line::Bars ? 1 : 0;
  auto* group = bars > 0 ? new QCPBarsGroup(&canvas) : nullptr;
  if (group) group->setSpacing(0);
  for (const PlotBox& box : plot.boxes) addBox(canvas, box, style);
  for (const PlotCurve& curve : plot.curves) {
    if (curve.line == PlotCurve::Line::Bars) {
      addBars(canvas, curve, *group, barSlot(0, bars).width, style);
    } else {
      addCurve(canvas, plot, curve, style);
    }
  }
  for (const PlotBand& band : plot.bands) addBand(canvas, band);
  for (const PlotLevel& level : plot.levels) addLevel(canvas, level, style);
  return new CurveLabels(&canvas, plot, labelled, style);
}

}  // namespace softscope
