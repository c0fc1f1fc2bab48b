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

HeadsSubject askedHeads(const FigureArguments& arguments) {
  HeadsSubject subject;
  subject.shown = parseHeads(arguments.heads).shown();
  subject.direction = arguments.readDirection();
  subject.map = arguments.shown.map;
  subject.view = arguments.view();
  return subject;
}

}  // namespace

int drawHeadsFigure(const FigureArguments& arguments) {
  checkArguments(arguments);
  const HeadlessApplication application;
  checkFiles(arguments);
  HeadsSubject subject = askedHeads(arguments);

  setComputeThreads(arguments.model.threads);
  const auto model = openModel(arguments.model.request(0));
  const ModelSummary& summary = model->summary();
  Input input = readInput(arguments.image, summary.transform, arguments.input(0));
  const auto inspection = inspect(*model, input.tensor);

  subject.layers = chosenLayers(*inspection, arguments.layers, summary.mechanism);
  checkMap(subject.layers, subject.map);
  std::erase_if(subject.layers, [&](const auto& layer) { return !hasMap(layer, subject.map); });
  subject.region = input.region;
  subject.queries = readQueries(arguments, subject.layers.front().attention->description(),
                                PictureExtent(input.picture, input.region), subject.direction);
  subject.picture = std::make_shared<const Picture>(std::move(input.picture));
  subject.modelName = std::filesystem::path(summary.path).stem().string();
  subject.mechanismNote = summary.mechanismNote();
  writeFiles(arguments, headsFigure(subject), answerArrays(answersOf(subject)));
  return 0;
}

}  // namespace softscope
