#include "core/model/ModelSummary.h"

#include "core/attention/Mechanism.h"

namespace softscope {

LandmarkChoice ModelSummary::namedLandmarks() const {
  const bool pooled =
      landmarks.isTrained() && trainedWithPooledLandmarks && takesLandmarks(mechanism);
  return pooled ? LandmarkChoice{LandmarkSource::Pooled} : landmarks;
}

std::string ModelSummary::obstacleTo(const std::string& what) const {
  if (!recorded) return {};
  return "a recording holds no weights, so there is no " + what +
         "; open the checkpoint that it was made of";
}

std::string ModelSummary::mechanismNote() const {
  if (!recordedNote.empty()) return recordedNote;
  std::string note = namedLandmarks().text();
  const auto add = [&](const std::string& part) { note += (note.empty() ? "" : ", ") + part; };
  if (otherActivation) add(activation == "relu" ? "with ReLU" : "with GELU");
  if (counterfactual) add("not what was trained");
  return note;
}

}  // namespace softscope
