#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/MatrixAnalysis.h"
#include "core/attention/LandmarkChoice.h"

#include <optional>
#include <tuple>

namespace softscope {

inline constexpr int mostLandmark = 999999;

struct BottleneckSettings {
  /// True to show the exact kernel beside its Nyström form instead of the landmarks.
  bool approximation = false;
  /// Layers with fewer heads show their last one.
  int head = 0;
  /// Index of the landmark; if empty, or if a layer has fewer landmarks, the one in the middle of
  /// the picture is shown.
  std::optional<int> landmark;
  /// The landmarks from which the exact kernel is approximated, `--landmarks` on the command line.
  /// They do not change how the network itself ran. `Trained` means the landmarks of the network's
  /// training, even if the network ran with others.
  LandmarkSource landmarks = LandmarkSource::Trained;

  bool operator==(const BottleneckSettings&) const = default;
};

inline constexpr ChoiceName<LandmarkSource> approximatingLandmarkNames[] = {
    {LandmarkSource::Trained, "trained", "The network's landmarks"},
    {LandmarkSource::Pooled, "pooled", "Means of queries"},
    {LandmarkSource::Random, "random", "Random queries"},
    {LandmarkSource::First, "first", "First queries"}};

inline constexpr std::tuple bottleneckSettings{
    OptionalSetting<BottleneckSettings>{
        {.key = "landmark",
         .flag = "--landmark",
         .type = "I",
         .help = "Whose column of P is shown (default: the one in the picture's middle)",
         .label = "Landmark"},
        &BottleneckSettings::landmark,
        0,
        mostLandmark},
    FlagSetting<BottleneckSettings>{
        {.key = "approximation",
         .flag = "--approximation",
         .help = "The exact kernel's row beside its Nystrom form's, and how far the matrices are "
                 "apart, instead of the landmarks",
         .label = "Approximation"},
        &BottleneckSettings::approximation},
    NumberSetting<BottleneckSettings, int>{
        {.key = "head", .label = "Head"}, &BottleneckSettings::head, 0, mostHead},
    ChoiceSetting<BottleneckSettings, LandmarkSource>{
        {.key = "landmarks",
         .label = "Landmarks",
         .tip = "What approximates the kernel of the network as it is; as many as it was trained "
                "with"},
        &BottleneckSettings::landmarks,
        approximatingLandmarkNames}};

/// The analysis of landmarks and the kernel between them.
struct BottleneckAnalysis {
  using Settings = BottleneckSettings;
  static constexpr AnalysisDescription about{
      .name = "bottleneck",
      .title = "&Bottleneck",
      .group = AnalysisGroup::Mathematics,
      .summary = "landmarks, their kernel and its eigenvalues; or what they approximate",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
  };
  static constexpr const auto& settingList = bottleneckSettings;
};

}  // namespace softscope
