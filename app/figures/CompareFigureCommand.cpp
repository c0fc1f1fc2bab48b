#include "app/figures/CompareFigureCommand.h"

#include "app/arguments/LayerChoice.h"
#include "app/arguments/UsageError.h"
#include "app/figures/AnalysedModels.h"
#include "app/figures/HeadlessApplication.h"
#include "core/Error.h"
#include "widgets/figure/CompareFigure.h"

namespace softscope {

namespace {

CompareFigure askedComparison(const FigureArguments& arguments) {
  CompareFigure figure;
  figure.shown = parseHeads(arguments.heads).shown();
  figure.direction = arguments.readDirection();
  figure.view = arguments.view();
  figure.linkedScales = arguments.linkedScales;
  figure.settings = arguments.figureSettings();
  return figure;
}

std::vector<RowDifference> askedDifferences(const FigureArguments& arguments) {
  std::vector<RowDifference> differences;
  if (arguments.difference.empty()) return differences;
  const int models = static_cast<int>(arguments.model.checkpoints.size());
  if (models < 2) throw UsageError("--difference needs two models; give -m more than once");
  for (int other = 1; other < models; ++other) {
    differences.push_back({0, other, arguments.difference == "normalised"});
  }
  return differences;
}

/// A difference without panels says in words why there is none.
void checkDifferences(const CompareFigure& figure) {
  if (figure.differences.empty()) return;
  for (const ComparedLine& line : comparedLines(figure)) {
    if (line.panels.empty()) {
      throw InspectionError(line.name.toStdString() + ": " + line.about.toStdString());
    }
  }
}

}  // namespace

int drawCompareFigure(const FigureArguments& arguments) {
  const HeadlessApplication application;
  checkFiles(arguments);
  CompareFigure figure = askedComparison(arguments);
  figure.differences = askedDifferences(arguments);
  const std::size_t models = arguments.model.checkpoints.size();
  checkComparedLayers(arguments.layers, models);

  const AnalysedModels looks = inspectModels(arguments);
  figure.picture = looks.picture;
  for (std::size_t i = 0; i < models; ++i) {
    const AnalysedModel& look = looks.models[i];
    const LayerInspection& layer = comparedLayer(*looks.models.front().inspection, *look.inspection,
                                                 arguments.layers, i, look.summary().mechanism);
    figure.rows.push_back(compareRow(look.summary(), *look.inspection, layer, look.region));
  }
  const CompareRow& first = figure.rows.front();
  figure.queries = readQueries(arguments, first.layer.attention->description(),
                               PictureExtent(*figure.picture, first.region), figure.direction);
  checkDifferences(figure);
  writeFiles(
      arguments, compareFigureSize(figure),
      [&](QPainter& painter, const QRectF& place) { paintCompareFigure(painter, place, figure); },
      [&] { return compareFigureArrays(figure); });
  return 0;
}

}  // namespace softscope
