#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/PlottedHeads.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <map>
#include <string>
#include <vector>

namespace softscope {

/// Gives curves of heads their names and colours: each head has its own colour if one layer is
/// shown, each layer if several are; layers of several models have their model's hue, the lighter
/// the deeper.
class HeadCurves {
 public:
  explicit HeadCurves(const std::vector<AnalysedLayer>& layers,
                      PlottedHeads plotted = PlottedHeads::Each);

  /// True if plots show medians in place of the curves; see drawMedians().
  bool showsMedians() const { return showsMedians_; }
  /// Returns a phrase for the caption that says what the curves are; empty if each is a head's.
  QString medianText() const;
  /// Replaces the lines of a plot by the medians of each layer's heads, at every x, in bands from
  /// the smallest to the largest value, and drops marks of single heads.
  void drawMedians(Plot& plot) const;
  int layers() const { return static_cast<int>(layers_.size()); }
  /// Returns a curve for a head with name, legend entry, label, colour and place but without
  /// points; `layer` indexes the layers.
  PlotCurve curve(std::size_t layer, int head) const;

 private:
  std::vector<AnalysedLayer> layers_;
  bool severalModels_ = false;
  bool showsMedians_ = false;
  /// A colour for each head of one layer, or for each layer.
  std::vector<QColor> colors_;
  /// The hue of each model, if there are several.
  std::map<std::string, QColor> hues_;
};

/// Returns what a point for a head of that layer leads to.
PlotPlace headPlace(const AnalysedLayer& of, int head);

/// Returns `block1.0, head 3`, preceded by the model's name if there are `severalModels`.
QString curveName(const AnalysedLayer& of, int head, bool severalModels);

/// Returns `block1.0 · 3`, or `block1.0` for the only head of its layer.
QString curveLabel(const AnalysedLayer& of, int head);

/// Returns the caption above plots of these layers: model and layer if there is one layer,
/// otherwise how many there are. `about` is the line below.
FigureCaption captionOf(const std::vector<AnalysedLayer>& layers, const QString& about);

/// Returns `left out: block1.0, block1.1 (there is one query)` for the layers whose obstacle is not
/// empty; empty if every layer is shown or none is. `obstacles` has an entry for each layer.
QString leftOutText(const std::vector<AnalysedLayer>& layers,
                    const std::vector<std::string>& obstacles);

/// Returns leftOutText() of results that have `of` and `obstacle`.
template <typename Result>
QString leftOutText(const std::vector<Result>& results) {
  std::vector<AnalysedLayer> layers;
  for (const Result& result : results) layers.push_back(result.of);
  return leftOutText(layers, obstaclesOf(results));
}

}  // namespace softscope
