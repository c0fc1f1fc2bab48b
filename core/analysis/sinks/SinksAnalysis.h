#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/sinks/AttentionSink.h"
#include "core/array/Table.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

struct SinksSettings {
  /// A head counts as one with a sink if its strongest key has at least this percentage of the
  /// attention. ("When Attention Sink Emerges in Language Models: An Empirical View", 2024, arXiv
  /// 2410.10781, Section 3.1, draws the line at 0.3.)
  double least = 30;

  bool operator==(const SinksSettings&) const = default;
};

inline constexpr std::tuple sinksSettings{NumberSetting<SinksSettings, double>{
    {.key = "least",
     .flag = "--least",
     .type = "PERCENT",
     .help = "The share of a head's attention from which its strongest key counts as a sink "
             "(default: 30)",
     .label = "Sink from",
     .tip = "The share of a head's attention from which its strongest key counts as a sink"},
    &SinksSettings::least,
    0,
    100,
    0,
    " % or more"}};

/// The sinks of the heads of one layer, or the reason why there are none.
struct LayerSinks {
  AnalysedLayer of;
  /// [heads]; empty for a head that attentionSink() has no sink for.
  std::vector<std::optional<AttentionSink>> heads;
  std::string obstacle;
};

/// How many heads have a sink.
struct SinkCount {
  std::string model;
  int heads = 0;        ///< heads with a strongest key
  int sinks = 0;        ///< of these, heads whose strongest key has the least share or more
  int prefixSinks = 0;  ///< of these, heads whose sink is no patch
};

/// The analysis of which key receives most of every head's attention.
struct SinksAnalysis {
  using Settings = SinksSettings;
  using Results = std::vector<LayerSinks>;
  static constexpr AnalysisDescription about{
      .name = "sinks",
      .title = "Sinks",
      .group = AnalysisGroup::Mathematics,
      .summary = "the token that receives most of every head's attention, and its value",
      .showsLayers = true,
      .hasColorBars = false,
      .working = "Adding up columns",
      .nothing = "No sinks",
  };
  static constexpr const auto& settingList = sinksSettings;

  /// Returns the settings that the results depend on, with fixed values for the others: here for
  /// all, since results do not depend on `least`.
  static Settings ofResults(const Settings&) { return {}; }
  /// Returns the sinks of the heads of each layer in `input`. May throw Cancelled.
  static Results compute(const AnalysisInput& input, const Settings& settings,
                         const Progress& progress);
  /// Returns a row for each head that has a strongest key, `token` being its name and `row` and
  /// `column` its place on the grid of the keys, counted from 0 and empty where it is no patch.
  /// Where several keys have equally much, none is named.
  static Table table(const Results& results);

  // In widgets/analysis/SinksFigure.cpp.

  static std::vector<Plot> plots(const Results& results, const Settings& settings);
  static QString caption(const Results& results, const Settings& settings);
};

/// Returns how many heads of each model have a sink, in the order of the models.
std::vector<SinkCount> countSinks(const std::vector<LayerSinks>& results,
                                  const SinksSettings& settings);

/// Returns the layer and the head with the largest share, as indices; nothing if no head has a
/// strongest key.
struct SinkPlace {
  std::size_t layer = 0;
  std::size_t head = 0;
};
std::optional<SinkPlace> strongestSink(const std::vector<LayerSinks>& results);

/// Returns the name of a sink's token: `patch (12, 7)`, `class token`; `several tokens alike` if
/// several have equally much.
std::string sinkName(const AnalysedLayer& of, const AttentionSink& sink);

}  // namespace softscope
