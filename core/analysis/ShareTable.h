#pragma once

#include "core/analysis/Share.h"
#include "core/array/Table.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// The shares of one model, and how it is called.
struct MeasuredShare {
  /// The checkpoint's file name without its ending; numbered where two models share it.
  std::string model;
  /// Follows the mechanism in captions, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  /// What classes are called; may be empty.
  std::vector<std::string> classNames;
  std::shared_ptr<const ModelShare> share;
};

/// `model,layer,head,attention_norm,beside_norm,residual_norm,knockout_logit_change,knockout_class`
/// and, after these, `projected_attention_norm,output_norm,knockout_relative_change,
/// predicted_class`; head -1 is the whole layer. Empty where a mechanism adds nothing beside its
/// attention, and where there are no knock-outs.
Table shareTable(const std::vector<MeasuredShare>& models);

}  // namespace softscope
