#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/analysis/bottleneck/LayerNorms.h"

#include <tuple>

namespace softscope {

/// Limits of the picture's side in a sweep, in pixels.
constexpr int leastSweptSide = 8;
constexpr int mostSweptSide = 8192;

/// Settings of the page, except the sides of a sweep, which are a list and handled by hand.
inline constexpr std::tuple<> normsSettings{};
inline constexpr std::tuple normsFileSettings{rcondSetting<NormsSettings>};

/// The analysis of spectral norms, SOFT's and SOFT++'s.
struct NormsAnalysis {
  using Settings = NormsSettings;
  static constexpr AnalysisDescription about{
      .name = "norms",
      .title = "&Norms",
      .group = AnalysisGroup::Mathematics,
      .summary = "spectral norms with and without SOFT++'s normalisation, at one size or several",
      .comparesModels = true,
  };
  static constexpr const auto& settingList = normsSettings;
  /// Settings that files keep, in addition to those handled by hand.
  static constexpr const auto& fileSettings = normsFileSettings;
};

}  // namespace softscope
