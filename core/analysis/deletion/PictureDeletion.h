#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/deletion/DeletionRequest.h"
#include "core/analysis/deletion/PatchOrder.h"
#include "core/model/InputTransform.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// The curves of one order of the patches.
struct OrderedDeletion {
  PatchOrderSource of = PatchOrderSource::Random;
  std::string layer;
  bool ofQueriesAndKeys = false;
  /// How a rollout's maps were changed, as in PatchScores.
  std::string note;
  std::vector<int> order;
  DeletionCurves curves;
};

/// An order that could not be made, and the reason.
struct MissingOrder {
  PatchOrderSource of = PatchOrderSource::Random;
  std::string layer;
  std::string obstacle;
};

/// Deletion and insertion of one model on one picture.
struct PictureDeletion {
  /// The checkpoint's file name without its extension; numbered if two models share it.
  std::string model;
  std::string mechanismNote;
  std::vector<std::string> classNames;
  InputTransform transform;
  /// The model's input.
  std::shared_ptr<const InputTensor> input;

  DeletionSettings settings;
  TokenGrid grid;
  /// The class that is followed, whether it is the predicted one, and its probability for the whole
  /// picture.
  int classIndex = 0;
  bool isPredicted = true;
  double probability = 0;
  /// Orders of maps first, then the random ones.
  std::vector<OrderedDeletion> orders;
  std::vector<MissingOrder> missing;
  /// The reason why there is nothing to show; empty otherwise.
  std::string obstacle;

  /// Returns the number of orders that come from maps.
  std::size_t maps() const;
  /// Return the bands of the curves of the random orders; the bands' vectors are empty if no random
  /// orders were followed.
  CurveBand randomDeletion() const;
  CurveBand randomInsertion() const;
  /// Return the rank of one order among the random ones.
  ChanceRank deletionRank(const OrderedDeletion& order) const;
  ChanceRank insertionRank(const OrderedDeletion& order) const;
};

/// The functions that run the model for computeDeletion().
struct DeletionMeasurers {
  DeletionMeasurer curves;
  /// Is passed to rollOut(), which may need it.
  SharesOf shares = {};
  /// Gives the class maps; if it is empty, there are none.
  ClassMapMeasurer classMaps = {};
};

/// Measures deletion and insertion of one model on one picture. `layers`, at least one, selects the
/// layers whose saliency and attention received are used. Anything that cannot be measured gets an
/// obstacle. `soFar` is told after each order what is measured by then, with the random orders
/// among them as all there are. The fraction that `progress` tells never falls, unless the shares'
/// measurer tells it one. May throw Cancelled.
PictureDeletion computeDeletion(const std::vector<AnalysedLayer>& layers, const Model& model,
                                const std::shared_ptr<const InputTensor>& input,
                                const DeletionSettings& settings,
                                const DeletionMeasurers& measurers, const Progress& progress = {},
                                const std::function<void(PictureDeletion)>& soFar = {});

/// Returns the memory that a deletion takes, in bytes.
std::size_t bytesOf(const PictureDeletion& deletion);

}  // namespace softscope
