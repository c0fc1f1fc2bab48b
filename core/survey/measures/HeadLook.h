#pragma once

#include "core/Progress.h"
#include "core/analysis/LineMeasures.h"
#include "core/analysis/Share.h"
#include "core/analysis/tokens/TokenMap.h"
#include "core/inspect/Inspection.h"
#include "core/linalg/SpectrumValues.h"
#include "core/model/InputTensor.h"
#include "core/model/Model.h"

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What one model did on one picture: what measures are of. Holds what it refers to.
class ModelLook {
 public:
  /// Where something was not recorded, because no measure needs it, it is null.
  struct Parts {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const InputTensor> input;
    std::shared_ptr<const Inspection> inspection;
    std::shared_ptr<const ModelShare> share;
    std::shared_ptr<const TokenInspection> tokens;
    /// The logit of the picture's own class, where that is known.
    std::optional<int> trueClass;
    std::vector<std::string> layers;
  };

  /// `progress` outlives it, and stops what takes long.
  ModelLook(Parts parts, const Progress& progress);

  const Model& model() const { return *parts_.model; }
  const InputTensor& input() const { return *parts_.input; }
  const Inspection& inspection() const { return *parts_.inspection; }
  const std::shared_ptr<const InputTensor>& sharedInput() const { return parts_.input; }
  const std::shared_ptr<const Inspection>& sharedInspection() const { return parts_.inspection; }
  const std::shared_ptr<const ModelShare>& sharedShare() const { return parts_.share; }
  const std::vector<float>& logits() const { return parts_.inspection->logits; }
  std::optional<int> trueClass() const { return parts_.trueClass; }
  /// The class of the largest logit; nothing for a backbone.
  std::optional<int> prediction() const;
  /// A layer's terms; null where it has none.
  const LayerShare* shareOf(const std::string& layer) const;
  /// The tokens behind a layer's block; nothing where it has none.
  std::optional<AnalysedTokens> tokensOf(const std::string& layer) const;
  /// Names of the layers that are measured.
  const std::vector<std::string>& layers() const { return parts_.layers; }
  const Progress& progress() const { return progress_; }

  /// What several measures of a group are taken from, computed when the first of them asks for it
  /// under a name of theirs.
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

/// The entry of a layer among a model's shares, and of a head in that; null where there is none.
const LayerShare* layerShareNamed(const ModelShare* share, const std::string& layer);
const HeadShare* headShareOf(const LayerShare* layer, int head);

/// One of its layers.
struct LayerLook {
  const ModelLook& model;
  const LayerInspection& layer;

  const AttentionDescription& attention() const { return layer.attention->description(); }
};

/// One of a layer's heads. What several measures share is computed when first asked for.
class HeadLook {
 public:
  HeadLook(const LayerLook& layer, int number) : of(layer), head(number) {}

  const LayerLook& of;
  const int head;

  const AttentionMap& map() const { return *of.layer.attention; }
  const AttentionDescription& attention() const { return of.attention(); }
  const Progress& progress() const { return of.model.progress(); }
  const LineMeasures& lines() const;
  /// All singular values; those of a map that is not held as factors, up to 512 tokens on its
  /// smaller side. Nothing above.
  const std::optional<SpectrumValues>& spectrum() const;
  /// The head's terms; null where there are none.
  const HeadShare* share() const;

 private:
  mutable std::optional<LineMeasures> lines_;
  mutable std::optional<std::optional<SpectrumValues>> spectrum_;
};

}  // namespace softscope
