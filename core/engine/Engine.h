#pragma once

#include "core/analysis/CostMeasurements.h"
#include "core/analysis/Share.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/deletion/DeletionRequest.h"
#include "core/analysis/reach/Reach.h"
#include "core/inspect/Inspection.h"
#include "core/inspect/TokenInspection.h"
#include "core/model/ModelRequest.h"

#include <functional>
#include <memory>

namespace softscope {

/// Everything that runs networks, for the window, which is built without LibTorch. The models
/// library implements it (models/NetworkEngine.h); a test replaces any member. A member that is
/// empty is missing, and what needs it says so. All members may be called from any thread, and
/// compute on the one that calls.
struct Engine {
  /// Opens a checkpoint, a recording or a live model; see openModel().
  std::function<std::shared_ptr<const Model>(const ModelRequest&, const Progress&)> openModel;
  /// Runs a model and records every attention layer; see inspect().
  ModelInspector inspect;
  /// Runs a model for the tokens behind each block; see inspectTokens().
  std::function<std::shared_ptr<const TokenInspection>(const Model&, const InputTensor&,
                                                       const Progress&)>
      inspectTokens;
  /// Measures what each head adds to the residual stream; see measureShare().
  std::function<std::shared_ptr<const ModelShare>(const Model&, const InputTensor&,
                                                  const ShareRequest&, const Progress&)>
      measureShare;
  /// Computes maps of one class from gradients; see measureClassMaps().
  ClassMapMeasurer measureClassMaps;
  /// Computes which pixels reach a token; see measureReach().
  ReachMeasurer measureReach;
  /// Follows a class while patches are removed and put in; see measureDeletion().
  DeletionMeasurer measureDeletion;
  /// Measures one point of a cost figure; see measureInChildProcess().
  CostRunner measureCost;
  /// Sets the number of threads that computations of the calling thread use; 0 for one per core.
  std::function<void(int)> setThreads;
};

}  // namespace softscope
