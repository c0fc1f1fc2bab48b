#pragma once

#include "core/Progress.h"
#include "core/analysis/LineMeasures.h"
#include "core/analysis/Share.h"
#include "core/analysis/sinks/AttentionSink.h"
#include "core/analysis/tokens/TokenMap.h"
#include "core/engine/Engine.h"
#include "core/inspect/Inspection.h"
#include "core/linalg/Eigenvalues.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The recordings of one model on one picture that measures are computed from. Holds references to
/// them.
class ModelPass {
 public:
  /// Parts that were not recorded, because no measure needs them, are null.
  struct Parts {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const InputTensor> input;
    std::shared_ptr<const Inspection> inspection;
    std::shared_ptr<const ModelShare> share;
    std::shared_ptr<const TokenInspection> tokens;
    /// Index of the logit of the picture's own class, if known.
    std::optional<int> trueClass;
    std::vector<std::string> layers;
    /// Runs the model again, for measures that need more than this pass.
    Engine engine = {};
  };

  /// `progress` must outlive the object; it can cancel long computations.
  ModelPass(Parts parts, const Progress& progress);

  const Model& model() const { return *parts_.model; }
  const InputTensor& input() const { return *parts_.input; }
  const Inspection& inspection() const { return *parts_.inspection; }
  const std::shared_ptr<const InputTensor>& sharedInput() const { return parts_.input; }
  const std::shared_ptr<const Inspection>& sharedInspection() const { return parts_.inspection; }
  const std::shared_ptr<const ModelShare>& sharedShare() const { return parts_.share; }
  const std::vector<float>& logits() const { return parts_.inspection->logits; }
  std::optional<int> trueClass() const { return parts_.trueClass; }
  /// Returns the class of the largest logit; nothing for a backbone.
  std::optional<int> prediction() const;
  /// Returns the terms of a layer; null if it has none.
  const LayerShare* shareOf(const std::string& layer) const;
  /// Returns the tokens after a layer's block; nothing if it has none.
  std::optional<AnalysedTokens> tokensOf(const std::string& layer) const;
  /// Names of the layers that are measured.
  const std::vector<std::string>& layers() const { return parts_.layers; }
  /// Returns what runs the model again.
  const Engine& engine() const { return parts_.engine; }
  const Progress& progress() const { return progress_; }

  /// Returns a result that several measures of a group share. Computed on the first request under
  /// this name.
  template <typename Result>
  const Result& shared(const std::string& name, const std::function<Result()>& compute) const {
    auto found = shared_.find(name);
    if (found == shared_.end()) found = shared_.emplace(name, compute()).first;
    return std::any_cast<const Result&>(found->second);
  }

 private:
  Parts parts_;
  const Progress& progress_;
  mutable std::map<std::string, std::any> shared_;
};

/// Returns a layer's entry among a model's shares, or a head's entry in a layer; null if there is
/// none.
const LayerShare* layerShareNamed(const ModelShare* share, const std::string& layer);
const HeadShare* headShareOf(const LayerShare* layer, int head);

/// A layer of a ModelPass.
struct LayerPass {
  const ModelPass& model;
  const LayerInspection& layer;

  const AttentionDescription& attention() const { return layer.attention->description(); }
};

/// A head of a LayerPass. Results that several measures share are computed on first use.
class HeadPass {
 public:
  HeadPass(const LayerPass& layer, int number) : of(layer), head(number) {}

  const LayerPass& of;
  const int head;

  const AttentionMap& map() const { return *of.layer.attention; }
  const AttentionDescription& attention() const { return of.attention(); }
  const Progress& progress() const { return of.model.progress(); }
  const LineMeasures& lines() const;
  /// Returns the key with most of the attention; nothing if attentionSink() has none.
  const std::optional<AttentionSink>& sink() const;
  /// Returns all singular values of the head's map. Returns nothing for a map that is not stored as
  /// factors and whose smaller side has more than 512 tokens.
  const std::optional<SpectrumValues>& spectrum() const;
  /// Returns the head's terms; null if there are none.
  const HeadShare* share() const;

 private:
  mutable std::optional<LineMeasures> lines_;
  mutable std::optional<std::optional<AttentionSink>> sink_;
  mutable std::optional<std::optional<SpectrumValues>> spectrum_;
};

}  // namespace softscope
