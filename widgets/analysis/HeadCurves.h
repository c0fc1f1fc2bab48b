#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// How curves of heads are told apart: every head has its colour where one layer is shown, every
/// layer of every model where several are.
class HeadCurves {
 public:
  explicit HeadCurves(const std::vector<AnalysedLayer>& layers);

  int layers() const { return static_cast<int>(layers_.size()); }
  /// Name, legend entry and colour of a head's curve, without points; `layer` indexes the layers.
  PlotCurve curve(std::size_t layer, int head) const;

 private:
  std::vector<AnalysedLayer> layers_;
  bool severalModels_ = false;
  std::vector<QColor> colors_;
};

/// `block1.0, head 3`; the model's name goes before where there are `severalModels`.
QString curveName(const AnalysedLayer& of, int head, bool severalModels);

/// What stands above plots of these layers: model and layer where there is one, how many of them
/// otherwise. `about` is the line below.
FigureCaption captionOf(const std::vector<AnalysedLayer>& layers, const QString& about);

}  // namespace softscope
