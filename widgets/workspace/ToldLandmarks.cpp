#include "widgets/workspace/ToldLandmarks.h"

#include "widgets/workspace/OpenedModel.h"

namespace softscope {
namespace {

/// Returns what identifies a number of landmarks that was told: the file, and the mechanism that
/// the request leads to.
std::pair<std::string, std::string> landmarksKey(const OpenedModel& model,
                                                 const ModelRequest& request) {
  return {request.path, request.attention.value_or(model.summary().mechanism)};
}

}  // namespace

void ToldLandmarks::note(const OpenedModel& model, const ModelRequest& request) {
  const LandmarkChoice& landmarks = request.landmarks;
  if (!landmarks.isTrained() || !landmarks.count) return;
  counts_[landmarksKey(model, request)] = *landmarks.count;
}

void ToldLandmarks::addTo(ModelRequest& request, const OpenedModel& model) const {
  const auto told = counts_.find(landmarksKey(model, request));
  if (told != counts_.end() && request.landmarks.isTrained() && !request.landmarks.count) {
    request.landmarks.count = told->second;
  }
}

}  // namespace softscope
