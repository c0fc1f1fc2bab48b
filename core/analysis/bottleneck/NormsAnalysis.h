#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/analysis/bottleneck/LayerNorms.h"

#include <tuple>

namespace softscope {

/// Sides of the picture in a sweep.
constexpr int leastSweptSide = 8;
constexpr int mostSweptSide = 8192;

/// (The sides of a sweep are a list, and written by hand.)
inline constexpr std::tuple<> normsSettings{};
inline constexpr std::tuple normsFileSettings{rcondSetting<NormsSettings>};

/// Spectral norms, SOFT's and SOFT++'s.
struct NormsAnalysis {
  using Settings = NormsSettings;
  static constexpr AnalysisDescription about{
      .name = "norms",
      .title = "&Norms",
      .shortcut = "Alt+6",
      .group = AnalysisGroup::Mathematics,
      .summary = "spectral norms with and without SOFT++'s normalisation, at one size or several",
  };
  static constexpr const auto& settings = normsSettings;
  /// What files keep, beside what is written by hand.
  static constexpr const auto& fileSettings = normsFileSettings;
};

}  // namespace softscope
