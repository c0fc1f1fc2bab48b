#include "core/survey/reading/SurveyColumns.h"

#include <algorithm>

namespace softscope {

namespace {

/// Number of columns kept, about 16 MB with a million values each.
constexpr std::size_t mostColumnsKept = 4;

}  // namespace

SurveyColumns::Column SurveyColumns::column(int measure, const Progress& progress) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& kept) { return kept.first == measure; });
  if (known != kept_.end()) {
    std::rotate(kept_.begin(), known, std::next(known));
    return kept_.front().second;
  }
  auto read = std::make_shared<const std::vector<UnitValues>>(reader_.read(measure, progress));
  kept_.emplace_front(measure, read);
  if (kept_.size() > mostColumnsKept) kept_.pop_back();
  return read;
}

}  // namespace softscope
