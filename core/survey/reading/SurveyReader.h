#pragma once

#include "core/Progress.h"
#include "core/survey/Database.h"
#include "core/survey/reading/SurveyIndex.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace softscope {

/// The values of one unit (a model, a layer or a head), of the pictures that have any.
struct UnitValues {
  /// Indices of pictures, rising.
  std::vector<int> pictures;
  /// A row for each picture, a column for each measure that was asked for; NaN where a measure is
  /// not defined.
  std::vector<double> values;
};

/// An open survey file, of one thread at a time. It may grow while it is read: pictures that came
/// after it was opened are passed over.
class SurveyReader {
 public:
  /// Reads all but the values. Throws SurveyError for what is no survey, of a later version, or
  /// damaged.
  explicit SurveyReader(const std::string& path);

  const std::string& path() const { return database_.path(); }
  std::shared_ptr<const SurveyIndex> index() const { return index_; }

  /// The values of measures (indices of the index) that all have the same scope, of each of `units`
  /// (indices among the scope's). One pass over the file, whatever is asked for. Throws SurveyError
  /// and Cancelled.
  std::vector<UnitValues> read(std::span<const int> measures, std::span<const int> units,
                               const Progress& progress = Progress());

  /// read() of one measure and every unit of its scope.
  std::vector<UnitValues> read(int measure, const Progress& progress = Progress());

 private:
  Database database_;
  std::shared_ptr<const SurveyIndex> index_;
};

}  // namespace softscope
