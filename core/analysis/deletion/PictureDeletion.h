#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/deletion/DeletionMeasurement.h"
#include "core/analysis/deletion/DeletionSettings.h"
#include "core/analysis/deletion/PatchScores.h"
#include "core/model/InputTransform.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// What one order of the patches shows.
struct OrderedDeletion {
  PatchOrderOf of = PatchOrderOf::Random;
  std::string layer;
  bool ofQueriesAndKeys = false;
  /// As PatchScores has it.
  std::string note;
  std::vector<int> order;
  DeletionCurves curves;
};

/// An order that there is none of, and why.
struct MissingOrder {
  PatchOrderOf of = PatchOrderOf::Random;
  std::string layer;
  std::string obstacle;
};

/// Deletion and insertion of one model on one picture.
struct PictureDeletion {
  /// The checkpoint's file name without its ending; numbered where two models share it.
  std::string model;
  std::string mechanismNote;
  std::vector<std::string> classNames;
  InputTransform transform;
  /// What the model was fed.
  std::shared_ptr<const InputTensor> input;

  DeletionSettings settings;
  TokenGrid grid;
  /// The class that is followed, whether it is the predicted one, and its probability in the whole
  /// picture.
  int classIndex = 0;
  bool isPredicted = true;
  double probability = 0;
  /// Maps first, then those at random.
  std::vector<OrderedDeletion> orders;
  std::vector<MissingOrder> missing;
  /// Why there is nothing to show; empty otherwise.
  std::string obstacle;

  /// How many of the orders are of maps.
  std::size_t maps() const;
  /// Of the orders at random; empty vectors where there are none.
  CurveBand randomDeletion() const;
  CurveBand randomInsertion() const;
  /// How one of the orders stands among those at random.
  ChanceRank deletionRank(const OrderedDeletion& order) const;
  ChanceRank insertionRank(const OrderedDeletion& order) const;
};

/// Of the layers of one model on one picture, at least one, which say whose saliency and attention
/// received are looked at; `shares` are those that rollOut() may need. Throws Cancelled; what
/// cannot be measured becomes its obstacle.
PictureDeletion computeDeletion(const std::vector<AnalysedLayer>& layers, const Model& model,
                                const std::shared_ptr<const InputTensor>& input,
                                const DeletionSettings& settings, const DeletionMeasurer& measurer,
                                const SharesOf& shares = {}, const Progress& progress = {});

}  // namespace softscope
