#include "app/figures/CompareFigureCommand.h"

#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/query/Caveats.h"

#include <algorithm>

namespace softscope {

namespace {

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

std::vector<CompareRow> comparedRows(const FigureArguments& arguments,
                                     const AnalysedModels& looks) {
  std::vector<CompareRow> rows;
  for (const AnalysedModel& look : looks.models) {
    const LayerInspection& layer =
        comparedLayer(*looks.models.front().inspection, *look.inspection, arguments.layers,
                      rows.size(), look.summary().mechanism);
    rows.push_back(compareRow(look.summary(), layer, look.region));
    rows.back().modelName = look.title;
  }
  return rows;
}

/// One model at least has the map; what the others show instead is said.
void checkMaps(const std::vector<CompareRow>& rows, ShownMap map) {
  const auto has = [&](const CompareRow& row) { return hasMap(row.layer, map); };
  if (std::none_of(rows.begin(), rows.end(), has)) {
    throw InspectionError(withoutMap(rows.front().layer, map));
  }
  for (const CompareRow& row : rows) {
    if (!has(row)) note(row.modelName + " shows its attention: " + withoutMap(row.layer, map));
  }
}

/// Where there is no difference it is said why.
void checkDifferences(const std::vector<ComparedAnswer>& answers,
                      const ComparedQuestion& question) {
  for (const ComparedAnswer& answer : answers) {
    if (!answer.isDifference || !answer.values.empty()) continue;
    const RowDifference& difference = question.differences[static_cast<std::size_t>(answer.row)];
    const auto row = [&](int index) { return question.rows[static_cast<std::size_t>(index)]; };
    throw InspectionError(differenceName(row(difference.first), row(difference.second)) + ": " +
                          answer.obstacle);
  }
}

}  // namespace

int writeCompareFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  const ShownHeads heads = parseHeads(arguments.heads).shown();
  const std::vector<RowDifference> differences = askedDifferences(arguments);
  checkComparedLayers(arguments.layers, arguments.model.checkpoints.size());

  const AnalysedModels looks = inspectModels(arguments);
  const std::vector<CompareRow> rows = comparedRows(arguments, looks);
  checkMaps(rows, arguments.shown.map);
  const CompareRow& first = rows.front();
  const Direction direction = arguments.readDirection();
  const std::vector<PictureQuery> queries =
      parseQueries(arguments.queries, first.layer.attention->description(),
                   PictureExtent(*looks.picture, first.region), direction);
  const ComparedQuestion question{looks.picture.get(), rows, differences, queries, heads, direction,
                                  arguments.shown.map};
  const std::vector<ComparedAnswer> answers = compareAnswers(question);
  checkDifferences(answers, question);
  if constexpr (drawsFigures) drawComparison(arguments, looks, question);
  writeNumbers(arguments, comparedArrays(answers), notesOn(looks, answerCaveats(answers)));
  return 0;
}

}  // namespace softscope
