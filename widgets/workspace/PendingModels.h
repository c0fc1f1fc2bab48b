#pragma once

#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "widgets/workspace/ModelMarks.h"
#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QString>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

struct ReadModel;

/// A requested model, with the model that it replaces.
struct ModelOpening {
  ModelRequest request;
  std::optional<int> replaces;
  InputSize inputSize;
  std::string layer;
  QString fingerprint;
  QString givenName;
  ModelMarks marks;
  bool becomesCurrent = true;
  /// True if the request was to replace the current model while there was none.
  bool inFront = false;
  /// True if a recording is to be shown on the open picture, provided that this is its own.
  bool keepsPicture = false;
  /// True if the size stands for the model's own one where they are equal.
  bool prefersOwnSize = false;
  /// The index in the workspace that is being opened; nothing if the user opens it.
  std::optional<int> place = {};
};

/// A model that has been read and still has to run on the picture.
struct ModelArrival {
  OpenedModel model;
  std::optional<int> replaces;
  bool becomesCurrent = true;
  bool inFront = false;
};

/// Returns the arrival of a model that was read for an opening, with the size of its input but
/// without a layer.
ModelArrival arrivalOf(const ModelOpening& opening, const ReadModel& read, int id);

/// Returns what opens a model again as it is; it replaces none.
ModelOpening openingOf(const OpenedModel& model);

/// Returns what opens a model of a workspace.
ModelOpening openingOf(const ModelState& model);

/// Returns what a workspace keeps of a model that is still to be opened.
ModelState savedStateOf(const ModelOpening& opening);

/// The models that were asked for and are not open yet.
struct PendingModels {
  /// The models that wait to be read; the first may be being read.
  std::deque<ModelOpening> openings;
  /// The model that has been read and runs on the picture before it takes its place.
  std::optional<ModelArrival> arriving;

  /// True if the model that has been read has that id.
  bool isArriving(int id) const { return arriving && arriving->model.id == id; }
  /// Returns the model that has been read, which must be there, and drops it.
  ModelArrival takeArriving() { return *std::exchange(arriving, std::nullopt); }
  /// Returns the request for what is being opened in the place of the model with that id; null if
  /// nothing is.
  const ModelRequest* requestFor(int id) const;
  /// Returns the models that are being opened in addition to those already open.
  std::vector<ModelState> additional() const;
  /// Returns the index in additional() of the model that becomes the current one; nothing if none
  /// does.
  std::optional<int> currentOfAdditional() const;
};

}  // namespace softscope
