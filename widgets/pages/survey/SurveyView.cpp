#include "widgets/pages/survey/SurveyView.h"

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

SurveyView SurveySource::view(const SurveyRequest& request, const Progress& progress) {
  SurveyView view;
  view.request = request;
  try {
    if (!columns_ || file_ != request.file || reading_ != request.reading) {
      columns_.reset();
      columns_ = std::make_unique<SurveyColumns>(request.file);
      file_ = request.file;
      reading_ = request.reading;
    }
    view.index = columns_->index();
    SurveyQuestion question = request.question;
    if (question.measure.empty()) question.measure = usualMeasure(*view.index);
    view.answer = answerSurvey(*columns_, question, progress);
    view.failure = QString::fromStdString(surveyObstacle(view.answer, request.show));
    if (view.failure.isEmpty()) view.drawing = surveyDrawing(view.answer, request.show);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    view.failure = QString::fromUtf8(error.what());
  }
  return view;
}

}  // namespace softscope
