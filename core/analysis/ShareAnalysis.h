#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/Share.h"
#include "core/array/Table.h"

#include <memory>
#include <string>
#include <tuple>
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
/// `knockout_relative_change,predicted_class`; head -1 is the whole layer. `beside_norm` is empty
/// if the mechanism adds nothing beside its attention, and the `knockout_` columns are empty if
/// there are no knock-outs. A class is empty if a logit is NaN.
Table shareTable(const std::vector<MeasuredShare>& models);

/// The quantity that a head's attention term is compared with.
enum class ShareReference {
  Residual,  ///< the residual stream that it is added to
  Beside,    ///< what is added beside it, head by head
  Knockout,  ///< the logits without it, with the logits
};

struct ShareSettings {
  ShareReference of = ShareReference::Residual;
  /// True if knock-outs are made.
  bool knockouts = true;

  bool operator==(const ShareSettings&) const = default;
};

inline constexpr ChoiceName<ShareReference> shareNames[] = {
    {ShareReference::Residual, "residual", "Residual stream"},
    {ShareReference::Beside, "beside", "What is beside it"},
    {ShareReference::Knockout, "knockout", "Knock-out"}};

inline constexpr std::tuple shareSettings{
    ChoiceSetting<ShareSettings, ShareReference>{
        {.key = "of",
         .flag = "--share",
         .type = "residual|beside|knockout",
         .help = "What a head's attention is compared with: the residual stream, what is added "
                 "beside it, or the logits without it",
         .label = "Compare attention with",
         .tip = "What a head's attention term is compared with"},
        &ShareSettings::of,
        shareNames},
    FlagSetting<ShareSettings>{
        {.key = "knockouts",
         .flag = "--no-knockouts",
         .help = "Leave out the forward passes without each head and layer",
         .label = "Knock-outs",
         .tip = "Run the model once without each head, and without each layer"},
        &ShareSettings::knockouts}};

/// The analysis of how much the attention of every head contributes.
struct ShareAnalysis {
  using Settings = ShareSettings;
  static constexpr AnalysisDescription about{
      .name = "share",
      .title = "Sha&re",
      .group = AnalysisGroup::Evidence,
      .summary = "how large the attention of every head is, and what knocking it out changes",
  };
  static constexpr const auto& settingList = shareSettings;
};

}  // namespace softscope
