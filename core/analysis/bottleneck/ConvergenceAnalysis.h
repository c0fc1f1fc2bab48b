#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/PlottedHeads.h"
#include "core/analysis/bottleneck/Convergence.h"
#include "core/array/Table.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

/// Settings of the iteration.
struct ConvergenceSettings {
  /// The scheme of all iterations; if empty, each mechanism iterates as its released code does.
  std::optional<InverseScheme> scheme;
  int iterations = 20;
  /// True to iterate in float32.
  bool singlePrecision = false;
  /// Relative cutoff of the pseudo-inverse that the distance is measured to.
  double rcond = 1e-12;
  PlottedHeads heads = PlottedHeads::Automatic;

  bool operator==(const ConvergenceSettings&) const = default;
};

/// How the iteration of each of a layer's heads approaches the inverse, or the reason why there is
/// none.
struct LayerConvergence {
  AnalysedLayer of;
  InverseScheme scheme = InverseScheme::Soft;
  std::vector<ConvergenceCurves> heads;
  std::string obstacle;
};

/// Returns the convergence of every head of each layer, with the chosen scheme or each mechanism's
/// own. May throw Cancelled.
std::vector<LayerConvergence> computeConvergence(const std::vector<AnalysedLayer>& layers,
                                                 const ConvergenceSettings& settings,
                                                 const Progress& progress = {});

/// The number of heads for which each of the two quantities of Proposition 2 falls with every step
/// until its floor; see fallsToItsFloor().
struct FallingHeads {
  int heads = 0;
  int residual = 0;         ///< |BVB - B|
  int inverseDistance = 0;  ///< |V - pinv(B)|
};
FallingHeads fallingHeads(const std::vector<LayerConvergence>& layers);

/// Summarises the curves in a sentence: how many heads reach 1e-3, at which step, and for how many
/// heads each of the two quantities of Proposition 2 falls with every step until its floor.
std::string convergenceSummary(const std::vector<LayerConvergence>& layers);

/// Returns the table with the columns
/// `model,layer,head,scheme,iteration,residual,residual_raw,inverse_distance,reflexive_residual,`
/// `residual_falls,inverse_distance_falls`. The last two are 1 in all rows of a head if the
/// quantity falls with every step until its floor, and 0 otherwise.
Table convergenceTable(const std::vector<LayerConvergence>& layers);

inline constexpr ChoiceName<std::optional<InverseScheme>> schemeNames[] = {
    {std::nullopt, "released", "Released code"},
    {InverseScheme::Theorem, "theorem", "Theorem"},
    {InverseScheme::Backtracking, "backtracking", "Backtracking"},
    {InverseScheme::PrintedBacktracking, "backtracking-printed", "Backtracking, as printed"},
    {InverseScheme::Nystromformer, "nystromformer", "Nyströmformer"}};

inline constexpr std::tuple convergenceSettings{
    ChoiceSetting<ConvergenceSettings, std::optional<InverseScheme>>{
        {.key = "scheme",
         .flag = "--scheme",
         .type = "SCHEME",
         .help = "Where the iteration starts and how it goes on; released: as each mechanism's "
                 "code does",
         .label = "Scheme",
         .tip = "Where the iteration starts, and how it goes on"},
        &ConvergenceSettings::scheme,
        schemeNames},
    NumberSetting<ConvergenceSettings, int>{{.key = "iterations",
                                             .flag = "--iterations",
                                             .type = "N",
                                             .help = "Steps of the iteration (default: 20)",
                                             .label = "Steps"},
                                            &ConvergenceSettings::iterations,
                                            1,
                                            10000,
                                            1,
                                            " steps"},
    FlagSetting<ConvergenceSettings>{{.key = "float32",
                                      .flag = "--float32",
                                      .help = "Iterate in the code's precision instead of float64",
                                      .label = "float32",
                                      .tip = "Iterate in the code's own precision"},
                                     &ConvergenceSettings::singlePrecision},
    plottedHeadsSetting<ConvergenceSettings>};

/// The setting that both analyses with an exact inverse of A share: eigenvalues below this part of
/// the largest count as zero.
template <typename Owner>
constexpr NumberSetting<Owner, double> rcondSetting{
    {.key = "rcond",
     .flag = "--rcond",
     .type = "X",
     .help = "The exact inverse drops eigenvalues under this share of the largest (default: 1e-12)",
     .label = "Smallest eigenvalue kept",
     .tip = "Eigenvalues under this share of the largest count as zero in the exact inverse"},
    &Owner::rcond,
    0,
    1};

inline constexpr auto convergenceFileSettings =
    std::tuple_cat(convergenceSettings, std::tuple(rcondSetting<ConvergenceSettings>));

/// The analysis of how the Newton-Raphson iteration approaches an inverse.
struct ConvergenceAnalysis {
  using Settings = ConvergenceSettings;
  static constexpr AnalysisDescription about{
      .name = "convergence",
      .title = "Con&vergence",
      .group = AnalysisGroup::Mathematics,
      .summary = "how the iteration comes near the inverse of the bottleneck matrix",
      .hasColorBars = false,
      .working = "Iterating",
      .nothing = "No inverse is iterated here",
  };
  static constexpr const auto& settingList = convergenceSettings;
  /// Settings that files keep, in addition to those handled by hand.
  static constexpr const auto& fileSettings = convergenceFileSettings;
  using Results = std::vector<LayerConvergence>;

  /// Returns the settings that the results depend on, with a fixed choice of curves.
  static Settings ofResults(Settings settings) {
    settings.heads = PlottedHeads::Automatic;
    return settings;
  }
  static Results compute(const AnalysisInput& input, const Settings& settings,
                         const Progress& progress) {
    return computeConvergence(input.layers, settings, progress);
  }
  static Table table(const Results& results) { return convergenceTable(results); }

  // Defined in widgets/analysis/ConvergenceFigure.cpp.

  /// Returns three plots against the step k: the residual |B V B - B| / |B| (SOFT, Fig. 4), with
  /// the residual against the raw A dashed if B is another matrix; the distance to pinv(B); and the
  /// reflexive residual. The first step at which a residual is at most 1e-3 is marked.
  static std::vector<Plot> plots(const Results& results, const Settings& settings);
  /// Returns the line above the plots: the scheme, its precision, the matrix, and the
  /// convergenceSummary().
  static QString caption(const Results& results, const Settings& settings);
};

}  // namespace softscope
