#include "app/figures/CompareFigureCommand.h"

#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/AnalysedModels.h"
#include "app/figures/HeadlessApplication.h"
#include "core/Error.h"
#include "widgets/figure/CompareFigure.h"

#include <algorithm>

namespace softscope {

namespace {

CompareSubject askedComparison(const FigureArguments& arguments) {
  CompareSubject subject;
  subject.shown = parseHeads(arguments.heads).shown();
  subject.direction = arguments.readDirection();
  subject.map = arguments.shown.map;
  subject.view = arguments.view();
  subject.linkedScales = arguments.comparison.linkedScales;
  return subject;
}

std::vector<RowDifference> askedDifferences(const FigureArguments& arguments) {
  std::vector<RowDifference> differences;
  const Comparison::Difference wanted = arguments.comparison.difference;
  if (wanted == Comparison::Difference::None) return differences;
  const int models = static_cast<int>(arguments.model.checkpoints.size());
  if (models < 2) throw UsageError("--difference needs two models; give -m more than once");
  for (int other = 1; other < models; ++other) {
    differences.push_back({0, other, wanted == Comparison::Difference::Normalised});
  }
  return differences;
}

/// One model at least has the map; what the others show instead is said.
void checkMaps(const CompareSubject& subject) {
  const auto has = [&](const CompareRow& row) { return hasMap(row.layer, subject.map); };
  if (std::none_of(subject.rows.begin(), subject.rows.end(), has)) {
    throw InspectionError(withoutConvolution(subject.rows.front().layer));
  }
  for (const CompareRow& row : subject.rows) {
    if (!has(row)) note(row.modelName + " shows its attention: " + withoutConvolution(row.layer));
  }
}

/// A difference without panels says in words why there is none.
void checkDifferences(const CompareSubject& subject) {
  if (subject.differences.empty()) return;
  for (const ComparedLine& line : comparedLines(subject)) {
    if (line.panels.empty()) {
      throw InspectionError(line.name.toStdString() + ": " + line.about.toStdString());
    }
  }
}

}  // namespace

int drawCompareFigure(const FigureArguments& arguments) {
  const HeadlessApplication application;
  checkFiles(arguments);
  CompareSubject subject = askedComparison(arguments);
  subject.differences = askedDifferences(arguments);
  const std::size_t models = arguments.model.checkpoints.size();
  checkComparedLayers(arguments.layers, models);

  const AnalysedModels looks = inspectModels(arguments);
  subject.picture = looks.picture;
  for (std::size_t i = 0; i < models; ++i) {
    const AnalysedModel& look = looks.models[i];
    const LayerInspection& layer = comparedLayer(*looks.models.front().inspection, *look.inspection,
                                                 arguments.layers, i, look.summary().mechanism);
    subject.rows.push_back(compareRow(look.summary(), *look.inspection, layer, look.region));
  }
  checkMaps(subject);
  const CompareRow& first = subject.rows.front();
  subject.queries = readQueries(arguments, first.layer.attention->description(),
                                PictureExtent(*subject.picture, first.region), subject.direction);
  checkDifferences(subject);
  writeFiles(arguments, compareFigure(subject, arguments.figureSettings()),
             comparedArrays(answersOf(subject)));
  return 0;
}

}  // namespace softscope
