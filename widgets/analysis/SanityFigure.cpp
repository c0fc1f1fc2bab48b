#include "core/analysis/classmap/ClassAnalysis.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/figure/FigureCells.h"

#include <iterator>
#include <limits>

namespace softscope {
namespace {

Plot sanityPlot(const ModelSanity& of) {
  Plot plot;
  plot.title = QString::fromStdString(of.model);
  plot.note = QString::fromStdString(nameOfClass(of.classIndex, of.classNames));
  plot.x.label = QStringLiteral("parts drawn anew, from the answer down");
  plot.x.counts = true;
  plot.y.label = QStringLiteral("rank correlation");
  plot.y.range = {-1, 1};
  const auto methods = static_cast<int>(std::size(classMethodNames)) - 1;
  const std::vector<QColor> colors = curveColors(methods);
  for (const SanityCurve& curve : of.curves) {
    PlotCurve line;
    for (std::size_t i = 1; i < std::size(classMethodNames); ++i) {
      if (classMethodNames[i].value != curve.method) continue;
      line.name = QString::fromUtf8(classMethodNames[i].label);
      line.color = colors[i - 1];
    }
    line.group = line.name;
    line.points = true;
    // The trained network's map is like itself.
    line.x = {0};
    line.y = {1};
    for (std::size_t i = 0; i < curve.correlation.size(); ++i) {
      line.x.push_back(static_cast<double>(i + 1));
      line.y.push_back(curve.correlation[i].value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    plot.curves.push_back(std::move(line));
  }
  return plot;
}

}  // namespace

std::vector<Plot> sanityPlots(const std::vector<ModelSanity>& models) {
  std::vector<Plot> plots;
  for (const ModelSanity& of : models) plots.push_back(sanityPlot(of));
  return plots;
}

PanelFigure sanityFigure(const std::vector<ModelSanity>& models) {
  FigureCaption caption;
  caption.name = QStringLiteral("Sanity");
  caption.detail = QStringLiteral("class maps of networks whose weights are drawn anew");
  caption.about = QStringLiteral(
      "Spearman's rank correlation with the trained network's map; a map that stays alike shows "
      "the picture, and not what the network has learned");
  return plotFigure(caption, sanityPlots(models));
}

}  // namespace softscope
