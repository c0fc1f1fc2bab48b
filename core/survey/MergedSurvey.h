#pragma once

#include "core/Progress.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Joins surveys that hold parts of one folder's pictures into `output`, which must not exist yet,
/// and returns how many pictures that has. Throws SurveyError naming the file and the difference
/// where recipes or pictures disagree, a picture is in two files, or one is in none.
std::int64_t mergeSurveys(const std::vector<std::string>& inputs, const std::string& output,
                          const std::string& command, const Progress& progress = {});

}  // namespace softscope
