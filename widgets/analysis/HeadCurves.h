#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// Gives curves of heads their names and colours: each head has its own colour if one layer is
/// shown, each layer of each model if several are.
class HeadCurves {
 public:
  explicit HeadCurves(const std::vector<AnalysedLayer>& layers);

  int layers() const { return static_cast<int>(layers_.size()); }
  /// Returns a curve for a head with name, legend entry, colour and place but without points;
  /// `layer` indexes the layers.
  PlotCurve curve(std::size_t layer, int head) const;

 private:
  std::vector<AnalysedLayer> layers_;
  bool severalModels_ = false;
  std::vector<QColor> colors_;
};

/// Returns what a point for a head of that layer leads to.
PlotPlace headPlace(const AnalysedLayer& of, int head);

/// Returns `block1.0, head 3`, preceded by the model's name if there are `severalModels`.
QString curveName(const AnalysedLayer& of, int head, bool severalModels);

/// Returns the caption above plots of these layers: model and layer if there is one layer,
/// otherwise how many there are. `about` is the line below.
FigureCaption captionOf(const std::vector<AnalysedLayer>& layers, const QString& about);

}  // namespace softscope
