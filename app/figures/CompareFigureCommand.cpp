#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/query/Caveats.h"

#include <algorithm>
#include <utility>

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
                                     const AnalysedModels& analysed) {
  std::vector<CompareRow> rows;
  for (const AnalysedModel& model : analysed.models) {
    const LayerInspection& layer =
        comparedLayer(*analysed.models.front().inspection, *model.inspection, arguments.layers,
                      rows.size(), model.summary().mechanism);
    rows.push_back(compareRow(model.summary(), layer, model.region));
    rows.back().modelName = model.title;
  }
  return rows;
}

/// Checks that at least one model has the map, and reports what the others show instead.
void checkMaps(const std::vector<CompareRow>& rows, ShownMap map) {
  const auto has = [&](const CompareRow& row) { return hasMap(row.layer, map); };
  if (std::none_of(rows.begin(), rows.end(), has)) {
    throw InspectionError(withoutMap(rows.front().layer, map));
  }
  for (const CompareRow& row : rows) {
    if (!has(row))
      noteOnResult(row.modelName + " shows its attention: " + withoutMap(row.layer, map));
  }
}

/// Reports the reason for each missing difference.
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

/// Returns the command line's arguments for the picture at `index`: with its own `--at`, `--query`
/// and `--mark` if there are as many of these as pictures.
FigureArguments ofPicture(const FigureArguments& arguments, std::size_t index) {
  FigureArguments of = arguments;
  const std::size_t pictures = arguments.images.size();
  if (pictures < 2) return of;
  of.image = arguments.images[index];
  const std::size_t queries = arguments.queries.size();
  if (queries > 1 && queries != pictures) {
    throw UsageError("of " + std::to_string(pictures) + " pictures --at and --query are given " +
                     "once, or once per picture, not " + std::to_string(queries) + " times");
  }
  if (queries > 1) of.queries = {arguments.queries[index]};
  if (arguments.marks.size() == pictures) of.marks = {arguments.marks[index]};
  return of;
}

/// Compares the models on one picture. If `opened` is given, the comparison on another picture, its
/// models are not opened again.
ComparedPicture comparePicture(const FigureArguments& arguments,
                               const std::vector<RowDifference>& differences,
                               const ComparedPicture* opened) {
  ComparedPicture of{
      arguments, inspectModels(arguments, opened ? &opened->analysed : nullptr), {}, {}, {}};
  of.rows = comparedRows(arguments, of.analysed);
  checkMaps(of.rows, arguments.shown.map);
  const CompareRow& first = of.rows.front();
  const Direction direction = arguments.readDirection();
  of.queries = parseQueries(arguments.queries, first.layer.attention->description(),
                            PictureExtent(*of.analysed.picture, first.region), direction);
  const ComparedQuestion question{
      of.analysed.picture.get(),           of.rows,   differences,        of.queries,
      parseHeads(arguments.heads).shown(), direction, arguments.shown.map};
  of.answers = compareAnswers(question);
  checkDifferences(of.answers, question);
  return of;
}

/// Returns the arrays of all pictures; names begin with the picture's name if there are several.
NamedArrays arraysOf(const std::vector<ComparedPicture>& pictures) {
  std::vector<std::string> paths;
  for (const ComparedPicture& of : pictures) paths.push_back(of.arguments.image);
  const std::vector<std::string> names = pictureNames(paths);
  NamedArrays arrays;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    for (auto& [name, array] : comparedArrays(pictures[i].answers)) {
      arrays.emplace_back(pictures.size() == 1 ? name : names[i] + "." + name, std::move(array));
    }
  }
  return arrays;
}

}  // namespace

int writeCompareFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  const std::vector<RowDifference> differences = askedDifferences(arguments);
  checkComparedLayers(arguments.layers, arguments.model.checkpoints.size());
  if (arguments.images.size() > 1 && arguments.comparison.linkedScales) {
    throw UsageError("--linked-scales links the models of one picture, and there are " +
                     std::to_string(arguments.images.size()) + "; leave it out");
  }
  std::vector<ComparedPicture> pictures;
  std::vector<std::string> caveats;
  for (std::size_t i = 0; i < std::max<std::size_t>(arguments.images.size(), 1); ++i) {
    const ComparedPicture* opened = pictures.empty() ? nullptr : &pictures.front();
    pictures.push_back(comparePicture(ofPicture(arguments, i), differences, opened));
    for (const std::string& caveat : answerCaveats(pictures.back().answers)) {
      if (std::ranges::find(caveats, caveat) == caveats.end()) caveats.push_back(caveat);
    }
  }
  if constexpr (drawsFigures) drawComparison(arguments, pictures, differences);
  writeNumbers(arguments, arraysOf(pictures), notesOn(pictures.front().analysed, caveats));
  return 0;
}

}  // namespace softscope
