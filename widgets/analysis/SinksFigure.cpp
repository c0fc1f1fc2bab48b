#include "core/analysis/sinks/SinksAnalysis.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <map>
#include <utility>

namespace softscope {
namespace {

/// More names than these do not fit below the axis.
constexpr std::size_t mostLayerNames = 8;

/// Where each layer stands on the horizontal axis: in one row for each model, from 0.
std::vector<double> depthsOf(const std::vector<LayerSinks>& results) {
  std::map<std::string, int> next;
  std::vector<double> depths;
  for (const LayerSinks& layer : results) {
    depths.push_back(layer.obstacle.empty() ? next[layer.of.model]++ : -1);
  }
  return depths;
}

PlotAxis layerAxis(const std::vector<AnalysedLayer>& layers) {
  PlotAxis axis;
  const bool named = !severalModels(layers) && layers.size() <= mostLayerNames;
  axis.label = named ? QStringLiteral("layer") : QStringLiteral("layer, from 0");
  axis.counts = true;
  double last = 0;
  std::map<std::string, int> depths;
  for (const AnalysedLayer& layer : layers) {
    last = std::max<double>(last, depths[layer.model]++);
    if (named) {
      axis.names.push_back(shortLayerName(QString::fromStdString(layer.layer().name)));
    }
  }
  axis.range = {-0.5, last + 0.5};
  return axis;
}

/// Spreads the heads of a layer around its place, so that equal points do not hide one another.
double placeOfHead(double depth, std::size_t head, std::size_t heads) {
  constexpr double width = 0.6;
  return depth + width * ((static_cast<double>(head) + 0.5) / static_cast<double>(heads) - 0.5);
}

bool isNoPatch(const AttentionSink& sink) {
  return sink.isPrefix.value_or(false);
}

QString kindOf(const AnalysedLayer& of, const AttentionSink& sink) {
  const bool isPatch = sink.key && !*sink.isPrefix;
  return isPatch ? QStringLiteral("patch") : QString::fromStdString(sinkName(of, sink));
}

/// Gives the points of models their colours, or, of one model, those of the kinds of tokens.
class SinkPoints {
 public:
  explicit SinkPoints(const std::vector<LayerSinks>& results)
      : several_(severalModels(definedLayers(results))) {
    for (const LayerSinks& layer : results) {
      for (const auto& sink : layer.heads) {
        if (sink) groupIndex(groupOf(layer.of, *sink));
      }
    }
    colors_ = curveColors(static_cast<int>(groups_.size()));
  }

  PlotCurve point(const AnalysedLayer& of, std::size_t head, const AttentionSink& sink) {
    PlotCurve point;
    point.name = curveName(of, static_cast<int>(head), several_) + QStringLiteral(": ") +
                 QString::fromStdString(sinkName(of, sink));
    point.group = groupOf(of, sink);
    point.color = colors_[groupIndex(point.group)];
    point.line = PlotCurve::Line::None;
    point.points = true;
    point.places = {headPlace(of, static_cast<int>(head))};
    point.marker = isNoPatch(sink) ? PlotCurve::Marker::Cross : PlotCurve::Marker::Disc;
    return point;
  }

 private:
  QString groupOf(const AnalysedLayer& of, const AttentionSink& sink) const {
    if (!several_) return kindOf(of, sink);
    const QString model = QString::fromStdString(of.model);
    return isNoPatch(sink) ? model + QStringLiteral(", no patch") : model;
  }
  std::size_t groupIndex(const QString& group) {
    const auto found = std::ranges::find(groups_, group);
    if (found == groups_.end()) groups_.push_back(group);
    return static_cast<std::size_t>(std::ranges::find(groups_, group) - groups_.begin());
  }

  bool several_ = false;
  std::vector<QString> groups_;
  std::vector<QColor> colors_;
};

/// Draws the share that each key has if attention is uniform, over the width of each layer.
void addUniform(Plot& plot, const std::vector<LayerSinks>& results,
                const std::vector<double>& depths) {
  std::map<std::pair<double, int>, bool> drawn;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].obstacle.empty()) continue;
    const int keys = results[i].of.attention().keys;
    if (std::exchange(drawn[{depths[i], keys}], true)) continue;
    PlotCurve curve;
    curve.name = QStringLiteral("uniform attention: 1 / %1").arg(keys);
    curve.group = QStringLiteral("uniform attention");
    curve.color = QColor(136, 136, 136);
    curve.line = PlotCurve::Line::Dashed;
    curve.x = {depths[i] - 0.4, depths[i] + 0.4};
    curve.y = {1.0 / keys, 1.0 / keys};
    plot.curves.push_back(std::move(curve));
  }
}

QString sinkCountText(const SinkCount& count, const SinksSettings& settings, bool several) {
  QString text = several ? QString::fromStdString(count.model) + QStringLiteral(": ") : QString();
  text += QStringLiteral("in %1 of %2 heads one token has %3 % or more of the attention")
              .arg(count.sinks)
              .arg(count.heads)
              .arg(QString::number(settings.least));
  if (count.prefixSinks > 0) {
    text += QStringLiteral(", in %1 of these a token that is no patch").arg(count.prefixSinks);
  }
  return text;
}

QString strongestText(const std::vector<LayerSinks>& results) {
  const auto place = strongestSink(results);
  if (!place) return {};
  const LayerSinks& layer = results[place->layer];
  const AttentionSink& sink = *layer.heads[place->head];
  QString text = QStringLiteral("at most %1 %, %2 times uniform (%3: %4")
                     .arg(valueText(100 * sink.share, 3), valueText(sink.factor, 3),
                          curveName(layer.of, static_cast<int>(place->head),
                                    severalModels(definedLayers(results))),
                          QString::fromStdString(sinkName(layer.of, sink)));
  if (sink.valueNorm) {
    text += QStringLiteral(", |v| %1 of the median").arg(valueText(*sink.valueNorm, 3));
  }
  return text + QStringLiteral(")");
}

}  // namespace

std::vector<Plot> SinksAnalysis::plots(const Results& results, const Settings& settings) {
  Plot share;
  share.title = QStringLiteral("Strongest key's share");
  share.x = layerAxis(definedLayers(results));
  share.y.label = QStringLiteral("share of attention");
  share.y.logarithmic = true;
  if (settings.least > 0) {
    share.levels.push_back({Qt::Horizontal, settings.least / 100,
                            QStringLiteral("sink from %1 %").arg(QString::number(settings.least))});
  }
  Plot value;
  value.title = QStringLiteral("Its value");
  value.x = share.x;
  value.y.label = QStringLiteral("|v| / median |v|");
  value.y.logarithmic = true;
  value.levels.push_back({Qt::Horizontal, 1, {}});
  const std::vector<double> depths = depthsOf(results);
  SinkPoints points(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const LayerSinks& layer = results[i];
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const auto& sink = layer.heads[head];
      if (!sink) continue;
      PlotCurve point = points.point(layer.of, head, *sink);
      point.x = {placeOfHead(depths[i], head, layer.heads.size())};
      point.y = {sink->share};
      share.curves.push_back(point);
      if (!sink->valueNorm) continue;
      point.y = {*sink->valueNorm};
      value.curves.push_back(std::move(point));
    }
  }
  addUniform(share, results, depths);
  if (value.curves.empty()) return {share};
  return {share, value};
}

QString SinksAnalysis::caption(const Results& results, const Settings& settings) {
  QStringList parts;
  const std::vector<SinkCount> counts = countSinks(results, settings);
  for (const SinkCount& count : counts) parts += sinkCountText(count, settings, counts.size() > 1);
  const QString strongest = strongestText(results);
  if (!strongest.isEmpty()) parts += strongest;
  return parts.join(QStringLiteral(" · "));
}

}  // namespace softscope
