#pragma once

#include "core/Progress.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// How curves of heads are told apart: every head has its colour where one layer is shown, every
/// layer of every model where several are.
class HeadCurves {
 public:
  explicit HeadCurves(const std::vector<AnalysedLayer>& layers);

  /// Name, legend entry and colour of a head's curve, without points; `layer` indexes the layers.
  PlotCurve curve(std::size_t layer, int head) const;

 private:
  std::vector<AnalysedLayer> layers_;
  bool severalModels_ = false;
  std::vector<QColor> colors_;
};

/// What stands above plots of these layers: model and layer where there is one, how many of them
/// otherwise. `about` is the line below.
FigureCaption captionOf(const std::vector<AnalysedLayer>& layers, const QString& about);

/// Calls `compute` for every layer and reports which. Where it throws InspectionError the analysis
/// is not defined: the message takes its place in what is returned, which is empty for the others.
std::vector<std::string> forEachLayer(
    const std::vector<AnalysedLayer>& layers, const Progress& progress,
    const std::function<void(std::size_t layer, const Progress& progress)>& compute);

}  // namespace softscope
