#include "core/text/Words.h"
#include "widgets/analysis/PlottedFigure.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace softscope {
namespace {

constexpr double notMeasured = std::numeric_limits<double>::quiet_NaN();
/// The largest number of groups of bars that remain legible.
constexpr std::size_t mostBarGroups = 4;

std::vector<std::string> mechanismsOf(const CostMeasurements& measured) {
  std::vector<std::string> names;
  for (const CostPoint& point : measured.points) {
    const std::string& name = point.of.mechanism;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

QString axisName(CostOver over) {
  switch (over) {
    case CostOver::Channels:
      return QStringLiteral("channels of all heads");
    case CostOver::Heads:
      return QStringLiteral("heads");
    case CostOver::Tokens:
      break;
  }
  return QStringLiteral("tokens n");
}

/// Returns a legend entry, e.g. `soft · time n^1.02, memory n^0.98`.
QString legendName(const CostMeasurements& measured, const std::string& mechanism) {
  QString name = QString::fromStdString(mechanism);
  // Heads divide a fixed number of channels, so no power law is expected.
  if (measured.sweep.over == CostOver::Heads) return name;
  const QString letter =
      measured.sweep.over == CostOver::Tokens ? QStringLiteral("n^") : QStringLiteral("C^");
  QStringList laws;
  if (const auto time = timeExponent(measured, mechanism)) {
    laws += QStringLiteral("time ") + letter + QString::number(*time, 'f', 2);
  }
  if (const auto memory = memoryExponent(measured, mechanism)) {
    laws += QStringLiteral("memory ") + letter + QString::number(*memory, 'f', 2);
  }
  if (!laws.isEmpty()) name += QStringLiteral(" · ") + laws.join(QStringLiteral(", "));
  return name;
}

/// Returns the colour of each mechanism; variants of one operator share a colour.
std::map<std::string, QColor> familyColors(const std::vector<std::string>& mechanisms) {
  std::vector<std::string> families;
  for (const std::string& mechanism : mechanisms) {
    const std::string family = costFamily(mechanism);
    if (std::find(families.begin(), families.end(), family) == families.end()) {
      families.push_back(family);
    }
  }
  const std::vector<QColor> colors = curveColors(static_cast<int>(families.size()));
  std::map<std::string, QColor> byFamily;
  for (std::size_t i = 0; i < families.size(); ++i) byFamily[families[i]] = colors[i];
  return byFamily;
}

/// Returns the band from the first to the third quartile of the runs at each point.
PlotBand quartileBand(const CostMeasurements& measured, const std::string& mechanism,
                      const QColor& color) {
  PlotBand band{color, {}, {}, {}};
  for (const CostPoint& point : measured.points) {
    if (point.of.mechanism != mechanism) continue;
    band.x.push_back(positionOf(point.of, measured.sweep.over));
    band.low.push_back(point.quartile1);
    band.high.push_back(point.quartile3);
  }
  return band;
}

Plot costSweepPlot(const CostMeasurements& measured, CostQuantity of, const QString& title,
                   const QString& label) {
  Plot plot;
  plot.title = title;
  plot.x = {axisName(measured.sweep.over), true, std::nullopt, {}};
  plot.y = {label, true, std::nullopt, {}};
  const std::vector<std::string> mechanisms = mechanismsOf(measured);
  const std::map<std::string, QColor> colors = familyColors(mechanisms);
  for (const std::string& mechanism : mechanisms) {
    PlotCurve curve;
    curve.name = QString::fromStdString(costMechanismText(mechanism));
    curve.group = legendName(measured, mechanism);
    curve.color = colors.at(costFamily(mechanism));
    curve.line =
        costFamily(mechanism) == mechanism ? PlotCurve::Line::Solid : PlotCurve::Line::Dashed;
    curve.points = true;
    if (of == CostQuantity::Time)
      plot.bands.push_back(quartileBand(measured, mechanism, curve.color));
    CostLine line = costLine(measured, mechanism, of);
    curve.x = std::move(line.x);
    curve.y = std::move(line.y);
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

struct BarKind {
  std::string mechanism;
  const char* name;
};

std::vector<BarKind> barKinds() {
  const ProductOrders& orders = productOrders();
  return {{orders.softmax, "with softmax: softmax(Q K^T) V"},
          {orders.quadratic, "without: (Q K^T) V"},
          {orders.linear, "without: Q (K^T V)"}};
}

/// Returns at most `count` evenly chosen positions, including the first and the last.
std::vector<int> evenly(const std::vector<int>& positions, std::size_t count) {
  if (positions.size() <= count) return positions;
  std::vector<int> some;
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(positions[i * (positions.size() - 1) / (count - 1)]);
  }
  return some;
}

/// Plots time relative to that of softmax, so that groups of any size can be compared.
std::optional<Plot> barsPlot(const CostMeasurements& measured) {
  const std::map<int, double> base = timesOf(measured, productOrders().softmax);
  const std::map<int, double> without = timesOf(measured, productOrders().quadratic);
  std::vector<int> positions;
  for (const auto& [position, time] : base) {
    if (without.count(position) > 0) positions.push_back(position);
  }
  if (positions.empty()) return std::nullopt;
  positions = evenly(positions, mostBarGroups);
  Plot plot;
  plot.title = QStringLiteral("With and without softmax");
  plot.x.label = axisName(measured.sweep.over);
  plot.y.label = QStringLiteral("relative time");
  for (const int position : positions) plot.x.names.push_back(QString::number(position));
  // The softmax and the linear order have the colours of their mechanisms' curves; the third order
  // has a colour of its own.
  const std::map<std::string, QColor> colors = familyColors(mechanismsOf(measured));
  for (const BarKind& bar : barKinds()) {
    const std::map<int, double> times = timesOf(measured, bar.mechanism);
    PlotCurve curve;
    curve.name = curve.group = QString::fromUtf8(bar.name);
    curve.color = costFamily(bar.mechanism) == bar.mechanism && colors.count(bar.mechanism) > 0
                      ? colors.at(bar.mechanism)
                      : QColor(0x8a, 0x8f, 0x99);
    curve.line = PlotCurve::Line::Bars;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto time = times.find(positions[i]);
      curve.x.push_back(static_cast<double>(i));
      curve.y.push_back(time == times.end() ? notMeasured : time->second / base.at(positions[i]));
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

/// Returns the quantities that are the same at every point.
QString fixedText(const CostMeasurements& measured) {
  if (measured.points.empty()) return {};
  const CostRequest& first = measured.points.front().of;
  QStringList parts;
  if (measured.sweep.over != CostOver::Tokens) {
    parts += QStringLiteral("%1 tokens").arg(first.tokens);
  }
  if (measured.sweep.over != CostOver::Channels) {
    parts += QStringLiteral("%1 channels").arg(first.channels);
  }
  if (measured.sweep.over != CostOver::Heads) {
    parts += QStringLiteral("%1 heads").arg(first.heads);
  }
  parts += QStringLiteral("%1 landmarks").arg(costLandmarks);
  if (first.threads == 1) parts += QStringLiteral("1 thread");
  if (first.threads > 1) parts += QStringLiteral("%1 threads").arg(first.threads);
  return parts.join(QStringLiteral(", "));
}

/// True if any curve has enough large points for an exponent.
bool hasExponents(const CostMeasurements& measured) {
  const auto& points = measured.points;
  return measured.sweep.over == CostOver::Tokens &&
         std::any_of(points.begin(), points.end(), [&](const CostPoint& point) {
           return timeExponent(measured, point.of.mechanism).has_value();
         });
}

QString aboutCostText(const CostMeasurements& measured) {
  const std::string& device = measured.sweep.device;
  const bool isCpu = device == "cpu";
  QString text = fixedText(measured);
  text += QStringLiteral(
              " · random numbers, float32, %1 · median of several runs, quartiles shaded, caches "
              "cold")
              .arg(isCpu ? QStringLiteral("CPU") : QString::fromStdString(device));
  text +=
      isCpu
          ? QStringLiteral(" · memory: measured high water of a process of its own for each point")
          : QStringLiteral(" · memory: the most that was allocated at once");
  if (measured.sweep.pass == CostPass::Training) {
    text += QStringLiteral(", without an optimiser");
  }
  if (hasExponents(measured)) {
    text += QStringLiteral(" · exponents fitted from %1 tokens on").arg(fittedFromTokens);
  }
  for (const std::string& sentence : measured.leftOut) {
    text += QStringLiteral(" · ") + typesetText(sentence);
  }
  const std::vector<std::string> doubts = costDoubts(measured);
  if (!doubts.empty()) {
    text += QStringLiteral(" · to be measured again when nothing else runs: ") +
            QString::fromStdString(listText(doubts, "; "));
  }
  return text;
}

QString costDetail(const CostSweep& sweep) {
  const bool training = sweep.pass == CostPass::Training;
  if (sweep.scope == CostScope::Vit12) {
    return training ? QStringLiteral("12 blocks, cost of a forward and a backward pass")
                    : QStringLiteral("12 blocks, cost of a forward pass");
  }
  return training
             ? QStringLiteral("cost of one operator, forward and backward, without projections")
             : QStringLiteral("cost of one operator, without projections");
}

}  // namespace

std::vector<Plot> costPlots(const CostMeasurements& measured) {
  std::vector<Plot> plots = {costSweepPlot(measured, CostQuantity::Time, QStringLiteral("Time"),
                                           QStringLiteral("time (ms)")),
                             costSweepPlot(measured, CostQuantity::Memory, QStringLiteral("Memory"),
                                           QStringLiteral("memory (MiB)"))};
  if (const auto crossover = simaCrossover(measured)) {
    plots.front().levels.push_back({Qt::Vertical, *crossover, {}});
    plots.front().note = QStringLiteral("SimA's orders cross at %1").arg(std::lround(*crossover));
  }
  if (auto bars = barsPlot(measured)) plots.push_back(std::move(*bars));
  return plots;
}

PanelFigure costFigure(const CostMeasurements& measured) {
  FigureCaption caption;
  caption.name = measured.sweep.scope == CostScope::Vit12 ? QStringLiteral("Vision transformer")
                                                          : QStringLiteral("Attention");
  caption.detail = costDetail(measured.sweep);
  caption.about = aboutCostText(measured);
  return plotFigure(caption, costPlots(measured));
}

}  // namespace softscope
