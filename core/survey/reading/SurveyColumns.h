#pragma once

#include "core/survey/reading/SurveyReader.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// The values of a survey file measure by measure, of one thread at a time. The last few are kept,
/// so that another look at them reads nothing.
class SurveyColumns {
 public:
  using Column = std::shared_ptr<const std::vector<UnitValues>>;

  /// Throws SurveyError.
  explicit SurveyColumns(const std::string& path) : reader_(path) {}

  const std::string& path() const { return reader_.path(); }
  std::shared_ptr<const SurveyIndex> index() const { return reader_.index(); }

  /// The values of a measure, by its index, of every unit of its scope. Throws SurveyError and
  /// Cancelled.
  Column column(int measure, const Progress& progress = Progress());

 private:
  SurveyReader reader_;
  /// The latest first.
  std::deque<std::pair<int, Column>> kept_;
};

}  // namespace softscope
