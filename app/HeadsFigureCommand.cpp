#include "app/HeadsFigureCommand.h"

#include "app/HeadlessApplication.h"
#include "app/LayerChoice.h"
#include "app/QueryArguments.h"
#include "app/UsageError.h"
#include "core/image/ColorMap.h"
#include "core/inspect/Device.h"
#include "core/inspect/Inspector.h"
#include "models/OpenModel.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/HeadsFigure.h"

#include <filesystem>
#include <iostream>

namespace softscope {

namespace {

ViewSettings viewOf(const FigureArguments& arguments) {
  ViewSettings view;
  if (!arguments.colorMap.empty()) {
    const ColorMap& chosen = colorMap(arguments.colorMap);
    (chosen.diverging ? view.divergingColorMap : view.colorMap) = chosen.name;
  }
  if (arguments.opacity) view.opacity = *arguments.opacity;
  if (arguments.range == "shared") view.normalisation = ViewSettings::Normalisation::Shared;
  if (arguments.range == "percentile") {
    view.normalisation = ViewSettings::Normalisation::Percentile;
  }
  view.smooth = arguments.smooth;
  view.absolute = arguments.absolute;
  view.theme = arguments.theme == "dark" ? ViewSettings::Theme::Dark : ViewSettings::Theme::Light;
  return view;
}

void chooseHeads(const FigureArguments& arguments, HeadsFigure& figure) {
  const HeadChoice choice = parseHeads(arguments.heads);
  figure.heads = choice.heads;
  figure.includeMean = choice.mean;
  figure.onlyMean = choice.mean && choice.heads.empty() && !choice.all;
}

void checkDataPath(const std::string& path) {
  if (path.empty() || std::filesystem::path(path).extension() == ".npz") return;
  throw UsageError("figure heads writes its numbers as .npz, not " + path);
}

}  // namespace

int drawHeadsFigure(const FigureArguments& arguments) {
  if (arguments.model.checkpoints.size() != 1) {
    throw UsageError("figure heads shows one model; give -m once");
  }
  const HeadlessApplication application;
  if (!arguments.output.empty()) checkFigurePath(arguments.output);
  checkDataPath(arguments.data);
  HeadsFigure figure;
  figure.view = viewOf(arguments);
  chooseHeads(arguments, figure);

  setComputeThreads(arguments.model.threads);
  const auto model = openModel(arguments.model.request(0));
  const ModelSummary& summary = model->summary();
  Input input = readInput(arguments.image, summary.transform, arguments.input);
  const auto inspection = inspect(*model, input.tensor);

  figure.layers = chosenLayers(*inspection, arguments.layer, summary.mechanism);
  figure.region = input.region;
  figure.queries = parseQueries(arguments.queries, arguments.places,
                                figure.layers.front().attention->description(),
                                PictureExtent(input.picture, input.region));
  figure.picture = std::move(input.picture);
  figure.modelName = std::filesystem::path(summary.path).stem().string();
  figure.mechanismNote = summary.counterfactual ? "not what was trained" : "";
  figure.direction = arguments.direction == "rows" ? Direction::Rows : Direction::Columns;

  if (!arguments.output.empty()) {
    saveFigure(
        arguments.output, headsFigureSize(figure), arguments.dpi,
        [&](QPainter& painter, const QRectF& place) { paintHeadsFigure(painter, place, figure); });
    std::cout << arguments.output << '\n';
  }
  if (!arguments.data.empty()) {
    writeNpz(arguments.data, headsFigureArrays(figure));
    std::cout << arguments.data << '\n';
  }
  return 0;
}

}  // namespace softscope
