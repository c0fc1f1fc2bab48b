#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/LayerSaliency.h"

#include <tuple>

namespace softscope {

inline constexpr ChoiceName<SaliencySide> saliencyNames[] = {
    {SaliencySide::Both, "both", "Queries and keys"},
    {SaliencySide::Queries, "queries", "Queries"},
    {SaliencySide::Keys, "keys", "Keys"}};

/// Settings of the page. On the command line, --head selects heads.
inline constexpr std::tuple saliencySettings{
    ChoiceSetting<SaliencySettings, SaliencySide>{
        {.key = "of",
         .flag = "--only",
         .type = "queries|keys",
         .help = "Of queries or of keys alone; heads are shown where --head asks for them",
         .label = "Norms",
         .tip = "Whose norms are shown"},
        &SaliencySettings::of,
        saliencyNames},
    FlagSetting<SaliencySettings>{
        {.key = "eachHead", .label = "Each head", .tip = "Every head beside the sum over heads"},
        &SaliencySettings::eachHead}};

/// The analysis of the l1 norms of queries and keys.
struct SaliencyAnalysis {
  using Settings = SaliencySettings;
  static constexpr AnalysisDescription about{
      .name = "saliency",
      .title = "Sal&iency",
      .group = AnalysisGroup::Maps,
      .summary = "the l1 norms of every patch's query and key",
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
  };
  static constexpr const auto& settingList = saliencySettings;
};

}  // namespace softscope
