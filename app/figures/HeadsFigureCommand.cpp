#include "app/figures/HeadsFigureCommand.h"

#include "app/arguments/LayerChoice.h"
#include "app/arguments/UsageError.h"
#include "app/figures/HeadlessApplication.h"
#include "core/inspect/Inspector.h"
#include "core/model/Device.h"
#include "models/OpenModel.h"
#include "widgets/figure/HeadsFigure.h"

#include <filesystem>

namespace softscope {

namespace {

void checkArguments(const FigureArguments& arguments) {
  if (arguments.model.checkpoints.size() != 1) {
    throw UsageError("figure heads shows one model; give -m once, or draw figure compare");
  }
}

HeadsFigure askedHeadsFigure(const FigureArguments& arguments) {
  HeadsFigure figure;
  figure.shown = parseHeads(arguments.heads).shown();
  figure.direction = arguments.readDirection();
  figure.view = arguments.view();
  figure.settings = arguments.figureSettings();
  return figure;
}

}  // namespace

int drawHeadsFigure(const FigureArguments& arguments) {
  checkArguments(arguments);
  const HeadlessApplication application;
  checkFiles(arguments);
  HeadsFigure figure = askedHeadsFigure(arguments);

  setComputeThreads(arguments.model.threads);
  const auto model = openModel(arguments.model.request(0));
  const ModelSummary& summary = model->summary();
  Input input = readInput(arguments.image, summary.transform, arguments.input(0));
  const auto inspection = inspect(*model, input.tensor);

  figure.layers = chosenLayers(*inspection, arguments.layers, summary.mechanism);
  figure.region = input.region;
  figure.queries = readQueries(arguments, figure.layers.front().attention->description(),
                               PictureExtent(input.picture, input.region), figure.direction);
  figure.picture = std::make_shared<const Picture>(std::move(input.picture));
  figure.modelName = std::filesystem::path(summary.path).stem().string();
  figure.mechanismNote = summary.counterfactual ? "not what was trained" : "";
  writeFiles(
      arguments, headsFigureSize(figure),
      [&](QPainter& painter, const QRectF& place) { paintHeadsFigure(painter, place, figure); },
      [&] { return headsFigureArrays(figure); });
  return 0;
}

}  // namespace softscope
