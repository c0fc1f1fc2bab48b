#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/LayerOverview.h"

#include <tuple>

namespace softscope {

struct OverviewSettings {
  OverviewMeasure of = OverviewMeasure::Distance;
  /// Shows numbers instead of every head's answer to the query.
  bool numbers = false;
  /// Orders the heads of each layer by the measure, the largest first.
  bool sorted = false;

  bool operator==(const OverviewSettings&) const = default;
};

inline constexpr ChoiceName<OverviewMeasure> overviewNames[] = {
    {OverviewMeasure::Distance, "distance", "Attention distance"},
    {OverviewMeasure::Entropy, "entropy", "Entropy"},
    {OverviewMeasure::Entries, "entries", "Largest entry"}};

inline constexpr std::tuple overviewSettings{
    ChoiceSetting<OverviewSettings, OverviewMeasure>{
        {.key = "of",
         .flag = "--measure",
         .type = "distance|entropy|entries",
         .help =
             "How far heads look, in pixels, how widely, as a share of ln(keys), or their largest "
             "entries",
         .label = "Measure",
         .tip = "How far heads look, how widely, or their largest entries"},
        &OverviewSettings::of,
        overviewNames},
    FlagSetting<OverviewSettings>{
        {.key = "numbers",
         .label = "Numbers",
         .tip = "One number for each head instead of its answer to the query"},
        &OverviewSettings::numbers},
    FlagSetting<OverviewSettings>{
        {.key = "sorted",
         .label = "Sort heads",
         .tip = "Order the heads of each layer by the measure, the largest first"},
        &OverviewSettings::sorted}};

/// The analysis of how far, or how widely, every head of every layer looks.
struct OverviewAnalysis {
  using Settings = OverviewSettings;
  static constexpr AnalysisDescription about{
      .name = "overview",
      .title = "&Overview",
      .group = AnalysisGroup::Maps,
      .summary = "how far, or how widely, every head of every layer looks",
  };
  static constexpr const auto& settingList = overviewSettings;
};

}  // namespace softscope
