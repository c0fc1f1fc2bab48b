#include "widgets/analysis/HeadCurves.h"

#include "widgets/paint/PanelText.h"

#include <set>

namespace softscope {

HeadCurves::HeadCurves(const std::vector<AnalysedLayer>& layers)
    : layers_(layers), severalModels_(softscope::severalModels(layers)) {
  const int heads = layers.size() == 1 ? layers.front().attention().heads : 0;
  colors_ = curveColors(layers.size() == 1 ? heads : static_cast<int>(layers.size()));
}

PlotCurve HeadCurves::curve(std::size_t layer, int head) const {
  const AnalysedLayer& of = layers_[layer];
  PlotCurve curve;
  curve.name = curveName(of, head, severalModels_);
  curve.places = {headPlace(of, head)};
  if (layers_.size() == 1) {
    curve.group = headText(head);
    curve.color = colors_[static_cast<std::size_t>(head)];
    return curve;
  }
  const std::string model = severalModels_ ? of.model + ", " : std::string();
  curve.group =
      QString::fromStdString(model) + shortLayerName(QString::fromStdString(of.layer().name));
  curve.color = colors_[layer];
  return curve;
}

PlotPlace headPlace(const AnalysedLayer& of, int head) {
  return {of.model, of.layer().name, head};
}

QString curveName(const AnalysedLayer& of, int head, bool severalModels) {
  const QString model =
      severalModels ? QString::fromStdString(of.model) + QStringLiteral(", ") : QString();
  return model + shortLayerName(QString::fromStdString(of.layer().name)) + QStringLiteral(", ") +
         headText(head);
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
  caption.about = layerText(first.attention(), QString::fromStdString(first.mechanismNote)) +
                  QStringLiteral(" · ") + about;
  return caption;
}

}  // namespace softscope
