#pragma once

#include "core/analysis/Analysis.h"
#include "core/survey/reading/SurveyIndex.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace softscope {

struct FigureArguments;

/// True for an option of models, of their picture or of what is shown of them, if a kind of figure
/// shows no models and does not take it; and for `--layer`, if the kind shows whole models.
bool isOfOtherKinds(const CLI::Option& option, const AnalysisDescription& kind);

/// Notes which options that isOfOtherKinds() names were given; checkOwnOptions() handles common
/// options, which say themselves whose they are.
void notePassedOver(const CLI::App& command, const FigureArguments& arguments,
                    const AnalysisDescription& kind);

/// Notes which of a kind's own options were given although its other settings leave them without
/// effect: `why` follows a colon.
void noteUnused(const FigureArguments& arguments, const std::vector<std::string>& options,
                const std::string& why);

/// Notes which options of class maps were given that the chosen method does not use.
void noteOtherMethods(const FigureArguments& arguments);

/// Notes that `--query`, `--at` or `--mark` was given to a figure that asks about no query: `why`
/// follows a colon.
void noteUnasked(const FigureArguments& arguments, const std::string& why);

/// The measure whose values a figure shows.
struct ShownMeasure {
  std::string name;
  SurveyIndex::Scope scope = SurveyIndex::Scope::Head;
  /// True for a measure of models that is computed here from the chosen layers, as deletion is.
  bool isFromLayers = false;
};

/// Notes that `--head` or `--layer` was given and the measure has no heads or layers to choose
/// from.
void notePassedOver(const FigureArguments& arguments, const ShownMeasure& measure);

}  // namespace softscope
