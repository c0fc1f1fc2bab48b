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
  const auto add = [&](const std::string& part) { note += (note.empty() ? "" : ", ") + part; };
  if (otherActivation) add(activation == "relu" ? "with ReLU" : "with GELU");
  if (counterfactual) add("not what was trained");
  return note;
}

}  // namespace softscope
