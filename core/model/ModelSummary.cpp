#include "core/model/ModelSummary.h"

#include "core/attention/Mechanism.h"

namespace softscope {

LandmarkChoice ModelSummary::namedLandmarks() const {
  const bool pooled =
      landmarks.isTrained() && trainedWithPooledLandmarks && takesLandmarks(mechanism);
  return pooled ? LandmarkChoice{LandmarkSource::Pooled} : landmarks;
}

std::string ModelSummary::mechanismNote() const {
  std::string note = namedLandmarks().text();
  if (!counterfactual) return note;
  return note + (note.empty() ? "" : ", ") + "not what was trained";
}

}  // namespace softscope
