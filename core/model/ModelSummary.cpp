#include "core/model/ModelSummary.h"

namespace softscope {

std::string ModelSummary::mechanismNote() const {
  std::string note = landmarks.text();
  if (!counterfactual) return note;
  return note + (note.empty() ? "" : ", ") + "not what was trained";
}

}  // namespace softscope
