#include "app/figures/PassedOverChoices.h"

#include "app/arguments/FigureArguments.h"
#include "app/arguments/Note.h"
#include "app/arguments/QueryArguments.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <vector>

namespace softscope {

bool isOfOtherKinds(const CLI::Option& option, const AnalysisDescription& kind) {
  if (kind.ofModels) return !kind.choosesLayers && option.check_lname("layer");
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
    noteOnResult(option->get_name() + " is of figures that show " +
                 (kind.ofModels ? "layers" : "models") + "; figure " + kind.name +
                 " passes over it");
  }
}

void noteUnused(const FigureArguments& arguments, const std::vector<std::string>& options,
                const std::string& why) {
  for (const std::string& name : options) {
    const bool isGiven = std::ranges::any_of(arguments.ownOptions, [&](const OwnOption& own) {
      return own.option->get_name() == name && own.option->count() > 0;
    });
    if (isGiven) noteOnResult(name + " is passed over: " + why);
  }
}

void noteOtherMethods(const FigureArguments& arguments) {
  const ClassMethod method = arguments.analysis.of<ClassMapSettings>().method;
  const auto isAmong = [&](std::initializer_list<ClassMethod> methods) {
    return method == ClassMethod::All || std::ranges::find(methods, method) != methods.end();
  };
  if (!isAmong({ClassMethod::GradientRollout, ClassMethod::LeGrad})) {
    noteUnused(arguments, {"--entries"}, "only rollout and LeGrad choose entries of the attention");
  }
  if (!isAmong({ClassMethod::IntegratedGradients})) {
    noteUnused(arguments, {"--points"}, "only integrated gradients follow a path");
  }
  const bool choosesLayer = arguments.kind == "class" && !arguments.layers.empty();
  if (choosesLayer && !isAmong({ClassMethod::GradientTokens, ClassMethod::GradCam})) {
    noteOnResult("--layer is passed over: only tokens times gradient and Grad-CAM are of a layer");
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
