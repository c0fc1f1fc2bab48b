#pragma once

#include "core/model/ModelRequest.h"

#include <map>
#include <string>
#include <utility>

namespace softscope {

struct OpenedModel;

/// The numbers of landmarks that the user said models were trained with. They are remembered for
/// each file and mechanism, because a request keeps only the landmarks that are chosen.
class ToldLandmarks {
 public:
  /// Remembers the number of trained landmarks in a request for a model, if it has one.
  void note(const OpenedModel& model, const ModelRequest& request);
  /// Gives a request without a number of trained landmarks the one that the user told for the
  /// model.
  void addTo(ModelRequest& request, const OpenedModel& model) const;

 private:
  /// The counts by the path and the mechanism.
  std::map<std::pair<std::string, std::string>, int> counts_;
};

}  // namespace softscope
