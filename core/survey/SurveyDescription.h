#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Throws SurveyError, naming the file and the table, unless the surveys at these paths number the
/// same models, layers, heads, classes and measures alike, so that their values belong together.
/// Where files lie may differ.
void requireSameDescription(const std::vector<std::string>& surveys);

}  // namespace softscope
