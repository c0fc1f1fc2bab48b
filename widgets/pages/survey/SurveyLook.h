#pragma once

#include "core/Progress.h"
#include "core/survey/reading/SurveyAnswer.h"
#include "widgets/analysis/SurveyFigure.h"

#include <QtCore/QString>

#include <memory>
#include <string>

namespace softscope {

/// What is asked of which file. Without a measure it is the file's first of heads.
struct SurveyRequest {
  std::string file;
  /// Another number reads the file anew.
  int reading = 0;
  SurveyQuestion question;
  SurveyShow show = SurveyShow::Distributions;

  bool operator==(const SurveyRequest&) const = default;
};

/// What the file answers, and what is drawn of it.
struct SurveyLook {
  SurveyRequest request;
  /// Null where the file cannot be read at all.
  std::shared_ptr<const SurveyIndex> index;
  SurveyAnswer answer;
  SurveyDrawing drawing;
  /// Why there is nothing to see; empty if there is.
  QString failure;
};

/// The file that was opened last, for the worker alone.
class SurveySource {
 public:
  /// Throws Cancelled.
  SurveyLook look(const SurveyRequest& request, const Progress& progress);

 private:
  std::string file_;
  int reading_ = 0;
  std::unique_ptr<SurveyColumns> columns_;
};

}  // namespace softscope
