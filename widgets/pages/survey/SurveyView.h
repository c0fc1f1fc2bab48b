#pragma once

#include "core/Progress.h"
#include "core/survey/reading/SurveyAnswer.h"
#include "widgets/analysis/SurveyFigure.h"

#include <QtCore/QString>

#include <memory>
#include <string>

namespace softscope {

/// A question about a survey file. If no measure is given, it is the first one of heads in the
/// file.
struct SurveyRequest {
  std::string file;
  /// A changed number makes the file be read again.
  int reading = 0;
  SurveyQuestion question;
  SurveyShow show = SurveyShow::Distributions;

  bool operator==(const SurveyRequest&) const = default;
};

/// The file's answer and its drawing.
struct SurveyView {
  SurveyRequest request;
  /// The file's contents; null if it cannot be read at all.
  std::shared_ptr<const SurveyIndex> index;
  SurveyAnswer answer;
  SurveyDrawing drawing;
  /// Why there is nothing to show; empty if there is.
  QString failure;
};

/// The file that was opened last; used on the worker only.
class SurveySource {
 public:
  /// Returns the answer to a request. Throws Cancelled.
  SurveyView view(const SurveyRequest& request, const Progress& progress);

 private:
  std::string file_;
  int reading_ = 0;
  std::unique_ptr<SurveyColumns> columns_;
};

}  // namespace softscope
