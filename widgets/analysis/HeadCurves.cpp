#include "widgets/analysis/HeadCurves.h"

#include "core/Quantile.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/PlotRange.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace softscope {

namespace {

/// Returns `block1.0`, preceded by the model's name if there are `severalModels`.
QString layerCurveName(const AnalysedLayer& of, bool severalModels) {
  const QString name = shortLayerName(QString::fromStdString(of.layer().name));
  return severalModels ? QString::fromStdString(of.model) + QStringLiteral(", ") + name : name;
}

constexpr int mostSingleCurves = 12;

/// Returns `block1.0, block1.1 and 4 more`.
QString fewOf(const QStringList& names) {
  constexpr qsizetype most = 4;
  if (names.size() <= most + 1) return names.join(QStringLiteral(", "));
  return names.mid(0, most).join(QStringLiteral(", ")) +
         QStringLiteral(" and %1 more").arg(names.size() - most);
}

int headsOf(const std::vector<AnalysedLayer>& layers) {
  int heads = 0;
  for (const AnalysedLayer& layer : layers) heads += layer.attention().heads;
  return heads;
}

/// Returns steps of one hue, from dark to light.
std::vector<QColor> shadesOf(const QColor& color, int count) {
  if (count == 1) return {color};
  std::vector<QColor> shades;
  for (int i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) / (count - 1);
    shades.push_back(QColor::fromHslF(color.hslHueF(), color.hslSaturationF(),
                                      static_cast<float>(0.26 + 0.48 * at)));
  }
  return shades;
}

std::map<std::string, QColor> huesOf(const std::vector<AnalysedLayer>& layers) {
  std::vector<std::string> models;
  for (const AnalysedLayer& layer : layers) {
    if (std::ranges::find(models, layer.model) == models.end()) models.push_back(layer.model);
  }
  const std::vector<QColor> colors = curveColors(static_cast<int>(models.size()));
  std::map<std::string, QColor> hues;
  for (std::size_t i = 0; i < models.size(); ++i) hues[models[i]] = colors[i];
  return hues;
}

/// Returns a colour for each layer: a shade of its model's hue.
std::vector<QColor> colorsByModel(const std::vector<AnalysedLayer>& layers,
                                  const std::map<std::string, QColor>& hues) {
  std::map<std::string, std::vector<QColor>> shades;
  for (const auto& [model, hue] : hues) {
    const auto count = std::ranges::count(layers, model, &AnalysedLayer::model);
    shades[model] = shadesOf(hue, static_cast<int>(count));
  }
  std::map<std::string, std::size_t> next;
  std::vector<QColor> colors;
  for (const AnalysedLayer& layer : layers) {
    colors.push_back(shades[layer.model][next[layer.model]++]);
  }
  return colors;
}

/// The curves of one layer's heads that show the same quantity: the first of them, and the values
/// of all at every x.
struct LayerCurves {
  PlotCurve first;
  std::map<double, std::vector<double>> values;
  int count = 0;
  /// Number of curves that have a value at all.
  int withValues = 0;
};

std::vector<LayerCurves> layerCurves(const std::vector<PlotCurve>& curves) {
  std::vector<LayerCurves> layers;
  for (const PlotCurve& curve : curves) {
    if (curve.line == PlotCurve::Line::None) continue;
    const auto isSame = [&](const LayerCurves& of) {
      const PlotPlace& a = of.first.places.front();
      const PlotPlace& b = curve.places.front();
      return of.first.line == curve.line && a.model == b.model && a.layer == b.layer;
    };
    auto found = std::ranges::find_if(layers, isSame);
    if (found == layers.end()) {
      layers.push_back({curve, {}, 0, 0});
      found = layers.end() - 1;
    }
    ++found->count;
    const bool hasValue =
        std::ranges::any_of(curve.y, [](double value) { return std::isfinite(value); });
    if (hasValue) ++found->withValues;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (std::isfinite(curve.y[i])) found->values[curve.x[i]].push_back(curve.y[i]);
    }
  }
  return layers;
}

/// Returns the median of a layer's curves at every x.
PlotCurve medianCurve(const LayerCurves& curves, const AnalysedLayer& of, bool severalModels) {
  PlotCurve median = curves.first;
  const QString layer = layerCurveName(of, severalModels);
  if (curves.count > 1) {
    std::optional<int>& head = median.places.front().head;
    const QString more = median.name.mid(curveName(of, head.value_or(0), severalModels).size());
    const QString all = QStringLiteral("%1 heads").arg(curves.count);
    const QString which = curves.withValues == curves.count
                              ? all
                              : QStringLiteral("%1 of %2").arg(curves.withValues).arg(all);
    median.name = layer + QStringLiteral(", median of ") + which + more;
    head.reset();
  }
  if (!median.group.isEmpty()) median.group = layer;
  if (!median.label.isEmpty()) {
    median.label = shortLayerName(QString::fromStdString(of.layer().name));
  }
  median.x.clear();
  median.y.clear();
  for (const auto& [x, values] : curves.values) {
    median.x.push_back(x);
    median.y.push_back(medianOf(values));
  }
  return median;
}

PlotBand bandOf(const LayerCurves& layer, const PlotAxis& axis) {
  PlotBand band{.color = layer.first.color, .x = {}, .low = {}, .high = {}};
  for (const auto& [x, values] : layer.values) {
    const auto [least, most] = std::ranges::minmax(values);
    if (!isDrawable(least, axis) || !isDrawable(most, axis)) continue;
    band.x.push_back(x);
    band.low.push_back(least);
    band.high.push_back(most);
  }
  return band;
}

}  // namespace

HeadCurves::HeadCurves(const std::vector<AnalysedLayer>& layers, PlottedHeads plotted)
    : layers_(layers),
      severalModels_(softscope::severalModels(layers)),
      showsMedians_(plotted == PlottedHeads::Medians ||
                    (plotted == PlottedHeads::Automatic && layers.size() > 1 &&
                     headsOf(layers) > mostSingleCurves)) {
  if (layers.size() == 1) {
    colors_ = curveColors(layers.front().attention().heads);
  } else if (severalModels_) {
    hues_ = huesOf(layers);
    colors_ = colorsByModel(layers, hues_);
  } else {
    colors_ = curveColors(static_cast<int>(layers.size()));
  }
}

QString HeadCurves::medianText() const {
  return showsMedians_
             ? QStringLiteral(
                   "medians of each layer's heads, bands from the smallest to the largest")
             : QString();
}

void HeadCurves::drawMedians(Plot& plot) const {
  if (!showsMedians_) return;
  const std::vector<LayerCurves> layers = layerCurves(plot.curves);
  plot.curves.clear();
  for (const LayerCurves& layer : layers) {
    const PlotPlace& place = layer.first.places.front();
    const auto of = std::ranges::find_if(layers_, [&](const AnalysedLayer& one) {
      return one.model == place.model && one.layer().name == place.layer;
    });
    plot.curves.push_back(medianCurve(layer, *of, severalModels_));
    if (layer.count > 1) plot.bands.push_back(bandOf(layer, plot.y));
  }
}

PlotCurve HeadCurves::curve(std::size_t layer, int head) const {
  const AnalysedLayer& of = layers_[layer];
  PlotCurve curve;
  curve.name = curveName(of, head, severalModels_);
  curve.places = {headPlace(of, head)};
  if (layers_.size() == 1) {
    curve.group = curve.label = headText(head);
    curve.color = colors_[static_cast<std::size_t>(head)];
    return curve;
  }
  curve.group = layerCurveName(of, severalModels_);
  curve.label = curveLabel(of, head);
  if (severalModels_) curve.kin = {QString::fromStdString(of.model), hues_.at(of.model)};
  curve.color = colors_[layer];
  return curve;
}

PlotPlace headPlace(const AnalysedLayer& of, int head) {
  return {of.model, of.layer().name, head};
}

QString curveName(const AnalysedLayer& of, int head, bool severalModels) {
  return layerCurveName(of, severalModels) + QStringLiteral(", ") + headText(head);
}

QString curveLabel(const AnalysedLayer& of, int head) {
  const QString layer = shortLayerName(QString::fromStdString(of.layer().name));
  return of.attention().heads > 1 ? layer + QStringLiteral(" · %1").arg(head) : layer;
}

FigureCaption captionOf(const std::vector<AnalysedLayer>& layers, const QString& about) {
  FigureCaption caption;
  caption.about = about;
  if (layers.empty()) return caption;
  const AnalysedLayer& first = layers.front();
  std::set<std::string> models;
  for (const AnalysedLayer& layer : layers) models.insert(layer.model);
  caption.name = models.size() == 1 ? QString::fromStdString(first.model)
                                    : QStringLiteral("%1 models").arg(models.size());
  if (layers.size() > 1) {
    caption.detail = QStringLiteral("%1 layers").arg(layers.size());
    return caption;
  }
  caption.detail = QString::fromStdString(first.layer().name);
  // The sentence of the result stands before the description of the layer.
  const QString layer = layerText(first.attention(), QString::fromStdString(first.mechanismNote));
  caption.about = joinedCaption({about, layer});
  return caption;
}

QString leftOutText(const std::vector<AnalysedLayer>& layers,
                    const std::vector<std::string>& obstacles) {
  std::vector<std::pair<QString, QStringList>> byReason;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    // The advice behind the reason has no place in a figure.
    const QString reason = typesetText(obstacles[i]).section(QStringLiteral("; "), 0, 0);
    if (reason.isEmpty()) {
      ++shown;
      continue;
    }
    auto found = std::ranges::find(byReason, reason, &std::pair<QString, QStringList>::first);
    if (found == byReason.end()) found = byReason.insert(found, {reason, {}});
    found->second += layerCurveName(layers[i], softscope::severalModels(layers));
  }
  if (byReason.empty() || shown == 0) return {};
  QStringList parts;
  for (const auto& [reason, names] : byReason) {
    parts += QStringLiteral("%1 (%2)").arg(fewOf(names), reason);
  }
  return QStringLiteral("left out: ") + parts.join(QStringLiteral("; "));
}

}  // namespace softscope
