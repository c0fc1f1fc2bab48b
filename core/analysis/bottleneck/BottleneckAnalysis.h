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
  /// The exact kernel beside its Nystrom form, instead of the landmarks.
  bool approximation = false;
  /// The last one of layers that have fewer.
  int head = 0;
  /// The one in the picture's middle where none was chosen, or where a layer has fewer.
  std::optional<int> landmark;
  /// Which landmarks the exact kernel is approximated with, the network staying as it ran; its own
  /// where it did not run as it was trained. (On the command line --landmarks.)
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

/// Landmarks, and the kernel between them.
struct BottleneckAnalysis {
  using Settings = BottleneckSettings;
  static constexpr AnalysisDescription about{
      .name = "bottleneck",
      .title = "&Bottleneck",
      .shortcut = "Alt+4",
      .group = AnalysisGroup::Mathematics,
      .summary = "landmarks, their kernel and its eigenvalues; or what they approximate",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
  };
  static constexpr const auto& settings = bottleneckSettings;
};

}  // namespace softscope
