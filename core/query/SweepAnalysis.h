#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/attention/LandmarkChoice.h"

#include <cstddef>
#include <tuple>
#include <vector>

namespace softscope {

/// The thing that moves in a sweep, from one frame to the next.
enum class SweepOver {
  Query,        ///< the query moves along a path
  Layers,       ///< one layer after another answers the same query
  Checkpoints,  ///< the steps of a training answer it
  Landmarks,    ///< the network runs with more and more landmarks
};

struct SweepSettings {
  SweepOver over = SweepOver::Query;
  /// Number of frames along a query's path; 0 for one for each patch on it.
  int frames = 0;
  double framesPerSecond = 8;
  /// Number of times that the motion plays; 0 for no end.
  int loops = 0;
  /// Width of the frames in pixels.
  int frameWidth = 960;

  bool operator==(const SweepSettings&) const = default;
};

/// The most frames of a sweep.
inline constexpr std::size_t mostSweptFrames = 1000;

inline constexpr ChoiceName<SweepOver> sweepOverNames[] = {
    {SweepOver::Query, "query", "The query"},
    {SweepOver::Layers, "layers", "The layer"},
    {SweepOver::Checkpoints, "checkpoints", "The step of a training"},
    {SweepOver::Landmarks, "landmarks", "The number of landmarks"}};

inline constexpr std::tuple sweepSettings{
    ChoiceSetting<SweepSettings, SweepOver>{
        {.key = "over",
         .flag = "--over",
         .type = "query|layers|checkpoints|landmarks",
         .help =
             "What moves: the query along the places of --at and --query, or across the "
             "picture if there are fewer than two (default); the layer; the step of a training, "
             "whose checkpoints -m names; or the number of landmarks",
         .label = "What moves",
         .tip = "What changes from one frame to the next"},
        &SweepSettings::over,
        sweepOverNames},
    NumberSetting<SweepSettings, int>{
        {.key = "frames",
         .flag = "--frames",
         .type = "N",
         .help = "Frames along the query's path (default: one for each patch on it)",
         .label = "Frames",
         .tip = "Along the query's path"},
        &SweepSettings::frames,
        0,
        static_cast<int>(mostSweptFrames),
        2,
        "",
        "One for each patch"},
    NumberSetting<SweepSettings, double>{{.key = "fps",
                                          .flag = "--fps",
                                          .type = "N",
                                          .help = "Frames a second (default: 8)",
                                          .label = "Frames a second"},
                                         &SweepSettings::framesPerSecond,
                                         0.1,
                                         50},
    NumberSetting<SweepSettings, int>{{.key = "loops",
                                       .flag = "--loops",
                                       .type = "N",
                                       .help = "How many times it plays (default: forever)",
                                       .label = "Shown",
                                       .tip = "How many times the motion plays"},
                                      &SweepSettings::loops,
                                      0,
                                      1000,
                                      1,
                                      " times",
                                      "For ever"},
    NumberSetting<SweepSettings, int>{{.key = "frameWidth",
                                       .flag = "--frame-width",
                                       .type = "N",
                                       .help = "Width of the frames in pixels (default: 960)",
                                       .label = "Width in pixels",
                                       .tip = "Of the frames"},
                                      &SweepSettings::frameWidth,
                                      64,
                                      4096,
                                      64,
                                      " px"}};

/// The kind of figure that moves: the heads of a layer, frame by frame. In the window, it is made
/// of the Heads page.
struct SweepAnalysis {
  using Settings = SweepSettings;
  static constexpr AnalysisDescription about{
      .name = "sweep",
      .title = "Sweep",
      .group = AnalysisGroup::Maps,
      .summary =
          "every head in motion, along a path, over layers, checkpoints or landmarks, as .gif, "
          ".webp or numbered .png",
      .asksQueries = true,
      .choosesHeads = true,
      .colorsHeads = true,
      .liesOnPatches = true,
      .takesMaps = true,
      .takesChannel = true,
      .isMotion = true,
      .hasPage = false,
  };
  static constexpr const auto& settingList = sweepSettings;
};

/// Returns the choices of landmarks that a sweep shows: `chosen`, or pooled ones in place of
/// trained, with each of `counts`; without any, with square numbers up to the number that the layer
/// was trained with.
std::vector<LandmarkChoice> sweptLandmarks(LandmarkChoice chosen, const std::vector<int>& counts,
                                           int trained);

}  // namespace softscope
