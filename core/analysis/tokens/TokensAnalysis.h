#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/tokens/TokenMap.h"

#include <tuple>

namespace softscope {

inline constexpr ChoiceName<TokenQuantity> tokenMapNames[] = {
    {TokenQuantity::Similarity, "similarity", "Similarity"},
    {TokenQuantity::Components, "components", "Principal components"},
    {TokenQuantity::Norms, "norms", "Norms"},
    {TokenQuantity::Matches, "matches", "Matches in another picture"}};

inline constexpr ChoiceName<MatchedPatches> matchedPatchNames[] = {
    {MatchedPatches::All, "all", "Of all patches"},
    {MatchedPatches::Query, "query", "Of the query's patch"}};

inline constexpr ChoiceName<ForegroundBy> foregroundNames[] = {
    {ForegroundBy::Component, "component", "By the first component"},
    {ForegroundBy::Query, "query", "By the query's patch"}};

inline constexpr ChoiceName<ComparedTokens> comparedTokenNames[] = {
    {ComparedTokens::Fitting, "auto", "By the vector's length"},
    {ComparedTokens::Block, "block", "With the block's tokens"},
    {ComparedTokens::Features, "features", "Behind norm and projection"}};

inline constexpr std::tuple tokenSettings{
    ChoiceSetting<TokenSettings, TokenQuantity>{
        {.key = "show",
         .flag = "--show",
         .type = "similarity|components|norms|matches",
         .help = "Cosine similarity of all patches to the query's token, the first three principal "
                 "components as colours, norms with their outliers, or lines from the first "
                 "picture's patches to those of another that are most alike (mutual nearest "
                 "neighbours). Of several pictures, similarity is to the token of the first, and "
                 "components are fitted on all together",
         .label = "Tokens",
         .tip = "What is shown of the tokens behind each block"},
        &TokenSettings::of,
        tokenMapNames},
    NumberSetting<TokenSettings, int>{
        {.key = "foreground",
         .flag = "--foreground",
         .type = "PERCENT",
         .help = "Components: patches whose first component, or cosine to the query's patch, lies "
                 "below are background, and the others have components of their own; 0 for all "
                 "patches",
         .label = "Foreground from",
         .tip = "Of components: patches whose first component, or cosine to the query's patch, "
                "lies below are background; 0 for none"},
        &TokenSettings::foreground,
        0,
        99,
        0,
        " %"},
    ChoiceSetting<TokenSettings, ForegroundBy>{
        {.key = "foregroundBy",
         .flag = "--foreground-by",
         .type = "component|query",
         .help = "Components: what --foreground is a percentage of: the way from the smallest "
                 "first component to the largest (default), or a cosine of 1: with 60, the patches "
                 "are foreground whose cosine to the patch that --query or --at names on the first "
                 "picture is 0.6 or more",
         .label = "Foreground by",
         .tip = "Of components: the percentage is one of the first component's range, or of a "
                "cosine of 1 to the query's patch, which a click moves"},
        &TokenSettings::foregroundBy,
        foregroundNames},
    ChoiceSetting<TokenSettings, ComparedTokens>{
        {.key = "vectorSpace",
         .flag = "--vector-space",
         .type = "auto|block|features",
         .help =
             "Similarity: what --vector is compared with: patches' tokens behind the block, or "
             "what the final norm and projection, which the class token goes through behind the "
             "last block, make of them; auto: what has the vector's length",
         .label = "Vector compared with",
         .tip = "Of similarity to a vector: patches' tokens behind the block, or what the final "
                "norm and projection make of them; texts of CLIP are in the latter's space"},
        &TokenSettings::compared,
        comparedTokenNames},
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
        " × median"},
    ChoiceSetting<TokenSettings, MatchedPatches>{
        {.key = "matches",
         .flag = "--matches",
         .type = "all|query",
         .help = "Matches: of all patches (default), or of those that --query and --at name",
         .label = "Matches",
         .tip = "Of matches: those of all patches, or of the query's alone"},
        &TokenSettings::matched,
        matchedPatchNames},
    NumberSetting<TokenSettings, int>{
        {.key = "lines",
         .flag = "--lines",
         .type = "N",
         .help = "Matches: the most lines that are drawn, those with the largest cosine first "
                 "(default: 50)",
         .label = "Lines",
         .tip = "Of matches: the most lines that are drawn, those with the largest cosine first"},
        &TokenSettings::lines,
        1,
        10000,
        1,
        " lines"}};

/// The analysis of the tokens behind each block.
struct TokensAnalysis {
  using Settings = TokenSettings;
  static constexpr AnalysisDescription about{
      .name = "tokens",
      .title = "To&kens",
      .group = AnalysisGroup::Maps,
      .summary =
          "the tokens behind each block: similarity, principal components, norms, and "
          "matches between pictures",
      .asksQueries = true,
      .liesOnPatches = true,
      .ofPictures = true,
      .usage = "-m CKPT... IMAGE... [OPTIONS]",
  };
  static constexpr const auto& settingList = tokenSettings;
};

}  // namespace softscope
