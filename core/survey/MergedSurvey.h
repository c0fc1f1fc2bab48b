#pragma once

#include "core/Progress.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Merges surveys of different parts of one folder into `output`, which must not exist yet, and
/// returns its number of pictures. Throws a SurveyError that names the file and the difference if
/// recipes or picture lists disagree, or if a picture is in two files or in none.
std::int64_t mergeSurveys(const std::vector<std::string>& inputs, const std::string& output,
                          const std::string& command, const Progress& progress = {});

}  // namespace softscope
