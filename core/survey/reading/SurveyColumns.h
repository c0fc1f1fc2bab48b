#pragma once

#include "core/survey/reading/SurveyReader.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Reads the values of a survey file measure by measure, for one thread at a time. The last few
/// measures are kept, so that returning to them reads nothing.
class SurveyColumns {
 public:
  using Column = std::shared_ptr<const std::vector<UnitValues>>;

  /// Opens the file. Throws SurveyError.
  explicit SurveyColumns(const std::string& path) : reader_(path) {}

  const std::string& path() const { return reader_.path(); }
  std::shared_ptr<const SurveyIndex> index() const { return reader_.index(); }

  /// Returns the values of a measure, given by its index, for every unit of its scope. Throws
  /// SurveyError and Cancelled.
  Column column(int measure, const Progress& progress = Progress());

 private:
  SurveyReader reader_;
  /// Columns kept, the most recent first.
  std::deque<std::pair<int, Column>> kept_;
};

}  // namespace softscope
