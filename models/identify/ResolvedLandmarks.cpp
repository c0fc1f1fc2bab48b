#include "models/identify/ResolvedLandmarks.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"

namespace softscope {

void resolveLandmarks(const LandmarkChoice& choice, ModelSummary& summary) {
  if (choice.isTrained()) {
    if (choice.count && summary.setting("landmarks") == nullptr) {
      throw ModelError("its weights tell its landmarks, or it has none; leave out --landmarks " +
                       std::to_string(*choice.count));
    }
    return;
  }
  if (!takesLandmarks(summary.mechanism)) {
    throw ModelError("its mechanism is " + summary.mechanism +
                     ", which has no landmarks to choose; leave out --landmarks, which is for " +
                     mechanismsWithBottleneck());
  }
  const bool pools = summary.trainedWithPooledLandmarks ||
                     mechanismNamed(summary.mechanism).bottleneck->pooledLandmarks;
  const bool asTrained = pools && choice.source == LandmarkSource::Pooled && !choice.count;
  summary.landmarks = choice;
  summary.counterfactual = summary.counterfactual || !asTrained;
  summary.reason += " Its landmarks were chosen with --landmarks.";
}

}  // namespace softscope
