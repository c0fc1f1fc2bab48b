#pragma once

#include "core/survey/reading/SurveyIndex.h"

#include <string>

namespace softscope {

struct FigureArguments;

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
