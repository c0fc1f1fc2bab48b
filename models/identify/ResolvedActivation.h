#pragma once

#include "models/identify/Family.h"

#include <string>

namespace softscope {

/// The activation that a network's mlps run with where no parameter tells it: GELU, or ReLU, as
/// SimA's authors try it ("SimA: Simple Softmax-free Attention for Vision Transformers", 2022,
/// arXiv 2206.08898, Section 4.5).
struct ResolvedActivation {
  bool relu = false;
  /// It is not the one that was trained, as far as that is known.
  bool counterfactual = false;

  /// `gelu` or `relu`
  std::string name() const { return relu ? "relu" : "gelu"; }
};

/// `--activation` decides, then `activation` in the file's metadata; else it is GELU. Where
/// `geluIsCertain`, files that say nothing were trained with GELU. Throws ModelError for another
/// `--activation` than gelu and relu.
ResolvedActivation resolveActivation(const ModelHints& hints, bool geluIsCertain = false);

}  // namespace softscope
