#pragma once

#include "core/query/SweepAnalysis.h"
#include "widgets/figure/SweepFigure.h"
#include "widgets/workspace/OpenedModel.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <string>
#include <vector>

namespace softscope {

class Workspace;

/// A sweep over what is open in the window. It keeps all that it needs, so that it can be made on
/// another thread while the window shows something else.
struct SweepPlan {
  SweepSettings settings;
  /// The layer, the heads and the query on screen.
  HeadsSubject shown;
  /// The places that a query's path goes through: the pins, or a single pin and the query. A single
  /// place stands for a path across the picture.
  std::vector<PictureQuery> corners;
  /// The layers of the model that have the shown map.
  std::vector<LayerInspection> layers;
  OpenedModel model;
  /// The channel that is shown of layers with a matrix for each; without one, their mean.
  std::optional<int> channel;
  /// The checkpoints of the training that the model is a step of; empty if it is none.
  std::vector<std::string> steps;
  Engine engine;

  /// Returns why a sweep over `over` is impossible; empty if it is possible.
  QString obstacle(SweepOver over) const;
  /// Returns a sentence that says what moves and how to change that.
  QString about() const;
  /// Returns the numbers of landmarks of a sweep over them.
  std::vector<LandmarkChoice> landmarks() const;
  /// Returns the number of frames. Throws InspectionError for tokens that a path cannot pass.
  std::size_t count() const;
};

/// Returns the plan of a sweep over the model in front, which is one of `steps` if there are any.
/// Throws InspectionError if no layer is shown.
SweepPlan sweepPlan(const Workspace& workspace, const SweepSettings& settings,
                    std::vector<std::string> steps);

/// Returns the frames of a plan that can be shown without running a network: all of a path's or the
/// layers', and the present one of other sweeps. Throws InspectionError.
SweepFrames previewedFrames(const SweepPlan& plan);

/// The frames of a sweep, and what is not among them, with its reason.
struct MadeSweep {
  SweepFrames frames;
  QStringList leftOut;
};

/// Makes all frames of a plan. Runs the network for each checkpoint and each number of landmarks.
/// Throws Error and Cancelled.
MadeSweep makeSweep(const SweepPlan& plan, const Progress& progress);

}  // namespace softscope
