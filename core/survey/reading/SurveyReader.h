#pragma once

#include "core/Progress.h"
#include "core/survey/Database.h"
#include "core/survey/reading/SurveyIndex.h"

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// The values of one unit (a model, a layer or a head) for the pictures that have any.
struct UnitValues {
  /// Indices of the pictures, ascending.
  std::vector<int> pictures;
  /// A row for each picture and a column for each requested measure; NaN if a measure is not
  /// defined.
  std::vector<double> values;
};

/// An open survey file, used by one thread at a time. It may grow while it is read: pictures added
/// after it was opened are skipped.
class SurveyReader {
 public:
  /// Reads everything but the values. Throws SurveyError if the file is not a survey, is of a later
  /// version, or is damaged.
  explicit SurveyReader(const std::string& path);

  const std::string& path() const { return database_.path(); }
  std::shared_ptr<const SurveyIndex> index() const { return index_; }

  /// Returns the values of measures (indices into the index's measures) that all have the same
  /// scope, for each of `units` (indices among the scope's units). Passes over the file once,
  /// whatever is requested. Throws SurveyError and Cancelled.
  std::vector<UnitValues> read(std::span<const int> measures, std::span<const int> units,
                               const Progress& progress = Progress());

  /// Reads one measure for every unit of its scope.
  std::vector<UnitValues> read(int measure, const Progress& progress = Progress());

 private:
  Database database_;
  std::shared_ptr<const SurveyIndex> index_;
};

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
