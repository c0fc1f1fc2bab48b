#include "widgets/pages/survey/SurveyLook.h"

namespace softscope {
namespace {

/// Returns the first measure of heads, as these tell the most, or the first measure of any kind if
/// there is none.
std::string usualMeasure(const SurveyIndex& index) {
  for (const SurveyIndex::Measure& measure : index.measures) {
    if (measure.scope == SurveyIndex::Scope::Head) return measure.name;
  }
  return index.measures.empty() ? std::string() : index.measures.front().name;
}

}  // namespace

SurveyLook SurveySource::look(const SurveyRequest& request, const Progress& progress) {
  SurveyLook look;
  look.request = request;
  try {
    if (!columns_ || file_ != request.file || reading_ != request.reading) {
      columns_.reset();
      columns_ = std::make_unique<SurveyColumns>(request.file);
      file_ = request.file;
      reading_ = request.reading;
    }
    look.index = columns_->index();
    SurveyQuestion question = request.question;
    if (question.measure.empty()) question.measure = usualMeasure(*look.index);
    look.answer = answerSurvey(*columns_, question, progress);
    look.failure = QString::fromStdString(surveyObstacle(look.answer, request.show));
    if (look.failure.isEmpty()) look.drawing = surveyDrawing(look.answer, request.show);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    look.failure = QString::fromUtf8(error.what());
  }
  return look;
}

}  // namespace softscope
