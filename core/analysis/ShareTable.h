#pragma once

#include "core/analysis/Share.h"
#include "core/array/Table.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// The shares of one model, and the names to show with them.
struct MeasuredShare {
  /// The checkpoint's file name without its extension; numbered if two models share it.
  std::string model;
  /// Appended to the mechanism in captions, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  /// Names of the classes; may be empty.
  std::vector<std::string> classNames;
  std::shared_ptr<const ModelShare> share;
};

/// Returns the table with the columns `model,layer,head,attention_norm,beside_norm,residual_norm,`
/// `knockout_logit_change,knockout_class,projected_attention_norm,output_norm,`
/// `knockout_relative_change,predicted_class`;
/// head -1 is the whole layer. `beside_norm` is empty if the mechanism adds nothing beside its
/// attention, and the `knockout_` columns are empty if there are no knock-outs. A class is empty if
/// a logit is NaN.
Table shareTable(const std::vector<MeasuredShare>& models);

}  // namespace softscope
