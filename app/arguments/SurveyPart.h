#pragma once

#include "core/survey/reading/SurveyIndex.h"

#include <string>

namespace softscope {

/// Stores a note with noteOnResult() if a survey was cut short or is a shard, and says how to
/// get the rest.
void notePartOfSurvey(const std::string& path, const SurveyIndex& index);

}  // namespace softscope
