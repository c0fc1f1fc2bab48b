#include "app/figures/PassedOverChoices.h"

#include "app/arguments/FigureArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/QueryArguments.h"

#include <algorithm>

namespace softscope {

void notePassedOver(const FigureArguments& arguments, const ShownMeasure& measure) {
  const bool isOfModels = measure.scope == SurveyIndex::Scope::Model;
  const std::string why =
      " is passed over: " + measure.name + " is of whole " + (isOfModels ? "models" : "layers");
  const bool choosesHeads = !parseHeads(arguments.heads).heads.empty();
  if (choosesHeads && measure.scope != SurveyIndex::Scope::Head) noteOnResult("--head" + why);
  const bool choosesLayers =
      std::ranges::any_of(arguments.layers, [](const std::string& text) { return text != "all"; });
  if (choosesLayers && isOfModels && !measure.isFromLayers) noteOnResult("--layer" + why);
}

}  // namespace softscope
