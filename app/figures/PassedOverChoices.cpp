#include "app/figures/PassedOverChoices.h"

#include "app/arguments/FigureArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/QueryArguments.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

namespace softscope {

bool isOfOtherKinds(const CLI::Option& option, const AnalysisDescription& kind) {
  if (kind.ofModels) return false;
  const std::string& group = option.get_group();
  if (group != "Model" && group != "Compute" && group != "Picture" && group != "What is shown") {
    return false;
  }
  std::istringstream taken(kind.takenOptions);
  return std::none_of(std::istream_iterator<std::string>(taken),
                      std::istream_iterator<std::string>(),
                      [&](const std::string& name) { return option.check_lname(name); });
}

void notePassedOver(const CLI::App& command, const FigureArguments& arguments,
                    const AnalysisDescription& kind) {
  for (const CLI::Option* option : command.get_options()) {
    const bool isOwn = std::ranges::find(arguments.ownOptions, option, &OwnOption::option) !=
                       arguments.ownOptions.end();
    if (isOwn || option->count() == 0 || !isOfOtherKinds(*option, kind)) continue;
    noteOnResult(option->get_name() + " is of figures that show models; figure " + kind.name +
                 " passes over it");
  }
}

void noteUnasked(const FigureArguments& arguments, const std::string& why) {
  std::vector<std::string> given;
  const auto isGiven = [&](QueryText::Kind kind) {
    return std::ranges::find(arguments.queries, kind, &QueryText::kind) != arguments.queries.end();
  };
  if (isGiven(QueryText::Kind::Patch)) given.emplace_back("--query");
  if (isGiven(QueryText::Kind::Place)) given.emplace_back("--at");
  if (!arguments.marks.empty()) given.emplace_back("--mark");
  for (const std::string& option : given) noteOnResult(option + " is passed over: " + why);
}

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
