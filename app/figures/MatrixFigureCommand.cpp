#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

#include <CLI/CLI.hpp>

#include <charconv>

namespace softscope {

namespace {

/// Parses `LEFT,TOP,WIDTH,HEIGHT`, fractions of the matrix.
MatrixFraction parsePart(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const last = at + text.size();
  while (at < last) {
    double number = 0;
    const auto [end, error] = std::from_chars(at, last, number);
    if (error != std::errc() || (end != last && *end != ',')) break;
    numbers.push_back(number);
    at = end == last ? last : end + 1;
  }
  const bool four = at == last && numbers.size() == 4;
  if (!four || !MatrixFraction{numbers[0], numbers[1], numbers[2], numbers[3]}.isInside()) {
    throw UsageError("--part is LEFT,TOP,WIDTH,HEIGHT, fractions of the matrix, not \"" + text +
                     "\"");
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

MatrixSettings askedSettings(const FigureArguments& arguments) {
  MatrixSettings settings = arguments.analysis.of<MatrixSettings>();
  const HeadChoice choice = parseHeads(arguments.heads);
  if (choice.mean || choice.largest || choice.heads.size() > 1) {
    throw UsageError("figure matrix shows one head or all of them: --head N, or --head all");
  }
  settings.allHeads = choice.all || choice.heads.empty();
  if (!settings.allHeads) settings.head = choice.heads.front();
  if (!arguments.matrixPart.empty()) settings.part = parsePart(arguments.matrixPart);
  return settings;
}

}  // namespace

int writeMatrixFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  const MatrixSettings settings = askedSettings(arguments);
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  std::vector<PictureQuery> queries;
  if (arguments.queries.empty()) {
    noteUnasked(arguments, "without --query or --at no row is marked");
  } else {
    queries =
        parseQueries(arguments.queries, layers.front().attention(),
                     PictureExtent(*analysed.picture, layers.front().region), Direction::Rows);
  }
  const std::optional<int> head = settings.onlyHead();
  std::vector<LayerMatrices> matrices = averageMatrices(
      layers, head, settings.part, matrixCells(layers, head, settings.cells), arguments.shown.map);
  checkObstacles(matrices);
  addLineMeasures(matrices);
  if constexpr (drawsFigures) {
    drawMatrices(arguments, matrices, settings, queries, analysed.picture);
  }
  writeNumbers(arguments, matrixArrays(matrices), notesOn(analysed, matrixNotes(matrices)));
  return 0;
}

void addMatrixOptions(CLI::App& command, FigureArguments& arguments) {
  addOwn(arguments, {"matrix"},
         command
             .add_option("--part", arguments.matrixPart,
                         "The part that is shown, as fractions of the matrix from its left and top")
             ->type_name("LEFT,TOP,WIDTH,HEIGHT")
             ->group("Matrix"));
  addOwn(arguments, {"matrix"},
         addSetting(command, matrixCellsSetting, arguments.analysis.of<MatrixSettings>())
             ->group("Matrix"));
}

}  // namespace softscope
