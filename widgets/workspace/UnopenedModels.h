#pragma once

#include "widgets/workspace/WorkspaceState.h"

#include <vector>

namespace softscope {

struct ModelOpening;

/// A model of a workspace that was not opened.
struct UnopenedModel {
  ModelState state;
  /// The index among the models of the workspace.
  int place = 0;
  /// True if it was the current model.
  bool isCurrent = false;
};

/// The models of the workspace that could not be opened or were cancelled before, in the order of
/// their places.
class UnopenedModels {
 public:
  const std::vector<UnopenedModel>& all() const { return models_; }
  void keep(const UnopenedModel& model);
  /// Keeps what was to be opened, if it is of the workspace.
  void keep(const ModelOpening& opening);
  void forgetPlace(int place);
  /// Forgets the models that one which the user opened stands for: those of the same file, unless
  /// it is a changed form of an open model (`isChange`), and the current one if it opened in front.
  void forgetFor(const ModelOpening& opened, bool isChange);
  void clear() { models_.clear(); }

 private:
  std::vector<UnopenedModel> models_;
};

}  // namespace softscope
