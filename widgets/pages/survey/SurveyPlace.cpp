#include "widgets/pages/survey/SurveyPlace.h"

#include <filesystem>

namespace softscope {
namespace {

const SurveyIndex::Picture& pictureOf(const SurveyAnswer& answer, const SurveySeries& series,
                                      std::size_t index) {
  return answer.index->pictures[static_cast<std::size_t>(series.values.pictures[index])];
}

}  // namespace

SurveyPlace surveyPlace(const SurveyAnswer& answer, const SurveySeries& series, std::size_t index) {
  const SurveyIndex::Model& model =
      answer.index->models[static_cast<std::size_t>(series.unit.model)];
  const std::filesystem::path folder = answer.index->folder();
  SurveyPlace place;
  place.picture = (folder / pictureOf(answer, series, index).path).string();
  place.model = model.name;
  place.modelPath = model.path;
  place.fingerprint = model.fingerprint;
  place.request = model.request;
  place.transform = model.transform;
  place.layer = answer.index->layerName(series.unit);
  place.head = answer.index->headNumber(series.unit);
  return place;
}

std::string surveyPlaceText(const SurveyAnswer& answer, const SurveySeries& series,
                            std::size_t index) {
  return pictureOf(answer, series, index).path + " · " + unitText(*answer.index, series.unit);
}

}  // namespace softscope
