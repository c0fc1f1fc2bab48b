#include "core/query/SweepAnalysis.h"

namespace softscope {

std::vector<LandmarkChoice> sweptLandmarks(LandmarkChoice chosen, const std::vector<int>& counts,
                                           int trained) {
  if (chosen.isTrained()) chosen.source = LandmarkSource::Pooled;
  std::vector<int> swept = counts;
  for (int side = 1; counts.empty() && side * side <= trained; ++side) {
    swept.push_back(side * side);
  }
  std::vector<LandmarkChoice> choices;
  for (const int count : swept) {
    choices.push_back(chosen);
    choices.back().count = count;
  }
  return choices;
}

}  // namespace softscope
