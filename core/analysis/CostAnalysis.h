#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/Cost.h"

#include <tuple>

namespace softscope {

inline constexpr ChoiceName<CostOver> costOverNames[] = {
    {CostOver::Tokens, "tokens", "Tokens"},
    {CostOver::Channels, "channels", "Channels"},
    {CostOver::Heads, "heads", "Heads"}};
inline constexpr ChoiceName<CostScope> costScopeNames[] = {
    {CostScope::Attention, "attention", "Attention operator"},
    {CostScope::Vit12, "vit12", "12 transformer blocks"}};

inline constexpr ChoiceName<CostPass> costPassNames[] = {
    {CostPass::Forward, "forward", "Forward pass"},
    {CostPass::Training, "training", "Forward and backward pass"}};

/// Settings of the analysis, except mechanisms, tokens, channels and heads, which are lists.
inline constexpr std::tuple costSettings{
    ChoiceSetting<CostSweep, CostOver>{{.key = "over",
                                        .flag = "--over",
                                        .type = "tokens|channels|heads",
                                        .help = "What is varied",
                                        .label = "Over"},
                                       &CostSweep::over,
                                       costOverNames},
    ChoiceSetting<CostSweep, CostScope>{
        {.key = "scope",
         .flag = "--scope",
         .type = "attention|vit12",
         .help = "One attention operator, or 12 transformer blocks with it",
         .label = "Of"},
        &CostSweep::scope,
        costScopeNames},
    ChoiceSetting<CostSweep, CostPass>{
        {.key = "pass",
         .flag = "--pass",
         .type = "forward|training",
         .help = "A forward pass, or a forward and a backward pass, as in training",
         .label = "Pass",
         .tip = "Inference, or forward and backward as in training"},
        &CostSweep::pass,
        costPassNames}};

/// The analysis of the time and memory of attention.
struct CostAnalysis {
  using Settings = CostSweep;
  static constexpr AnalysisDescription about{
      .name = "cost",
      .title = "Cos&t",
      .group = AnalysisGroup::Evidence,
      .summary = "time and memory of attention, measured here; needs neither model nor picture",
      .ofModels = false,
      .hasColorBars = false,
      .usage = "[OPTIONS]",
      .takenOptions = "heads device threads",
  };
  static constexpr const auto& settingList = costSettings;
};

}  // namespace softscope
