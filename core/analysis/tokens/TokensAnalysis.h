#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/tokens/TokenMap.h"

#include <tuple>

namespace softscope {

inline constexpr ChoiceName<TokenQuantity> tokenMapNames[] = {
    {TokenQuantity::Similarity, "similarity", "Similarity to the query"},
    {TokenQuantity::Components, "components", "Principal components"},
    {TokenQuantity::Norms, "norms", "Norms"}};

inline constexpr std::tuple tokenSettings{
    ChoiceSetting<TokenSettings, TokenQuantity>{
        {.key = "show",
         .flag = "--show",
         .type = "similarity|components|norms",
         .help = "Cosine similarity of all patches to the query's token, the first three principal "
                 "components as colours, or norms with their outliers",
         .label = "Tokens",
         .tip = "What is shown of the tokens behind each block"},
        &TokenSettings::of,
        tokenMapNames},
    NumberSetting<TokenSettings, int>{
        {.key = "foreground",
         .flag = "--foreground",
         .type = "PERCENT",
         .help = "Components: patches whose first component lies below are background, and the "
                 "others have components of their own; 0 for all patches",
         .label = "Foreground from",
         .tip = "Of components: patches whose first component lies below are background"},
        &TokenSettings::foreground,
        0,
        99,
        0,
        " %"},
    NumberSetting<TokenSettings, double>{
        {.key = "outliers",
         .flag = "--outliers",
         .type = "X",
         .help = "Norms: a patch with more than X times the median norm is an outlier",
         .label = "Outliers from",
         .tip = "Of norms: a patch with more than so many times the median norm is an outlier"},
        &TokenSettings::outlierRatio,
        1,
        100,
        1,
        " × median"}};

/// The analysis of the tokens behind each block.
struct TokensAnalysis {
  using Settings = TokenSettings;
  static constexpr AnalysisDescription about{
      .name = "tokens",
      .title = "To&kens",
      .group = AnalysisGroup::Maps,
      .summary = "the tokens behind each block: similarity, principal components, norms",
      .asksQueries = true,
      .liesOnPatches = true,
  };
  static constexpr const auto& settingList = tokenSettings;
};

}  // namespace softscope
