#pragma once

#include "core/analysis/Cost.h"
#include "core/analysis/Saliency.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/linalg/NewtonRaphson.h"
#include "widgets/settings/Setting.h"

#include <QtCore/QJsonObject>
#include <QtCore/QRectF>

#include <optional>
#include <vector>

namespace softscope {

/// What analyses with several curves are of.
struct AnalysisScope {
  /// Every layer instead of the chosen one.
  bool allLayers = false;
  /// Every open model instead of the current one.
  bool allModels = false;

  bool operator==(const AnalysisScope&) const = default;
};

struct SaliencySettings {
  SaliencyOf of = SaliencyOf::Both;
  /// Every head beside the sums over heads.
  bool eachHead = false;

  bool operator==(const SaliencySettings&) const = default;
};

struct BottleneckSettings {
  /// The exact kernel beside its Nystrom form, instead of the landmarks.
  bool approximation = false;
  /// The last one of layers that have fewer.
  int head = 0;
  /// The one in the picture's middle where none was chosen, or where a layer has fewer.
  std::optional<int> landmark;

  bool operator==(const BottleneckSettings&) const = default;
};

struct SpectrumSettings {
  SpectrumOf of = SpectrumOf::Attention;
  bool logarithmic = true;

  bool operator==(const SpectrumSettings&) const = default;
};

struct ConvergenceSettings {
  /// Nothing for each mechanism's own, as its code was released.
  std::optional<InverseScheme> scheme;
  int iterations = 20;
  /// Iterate in float32.
  bool singlePrecision = false;
  /// Of the pseudo-inverse that the distance is measured to.
  double rcond = 1e-12;

  bool operator==(const ConvergenceSettings&) const = default;
};

inline constexpr ChoiceName<std::optional<InverseScheme>> schemeNames[] = {
    {std::nullopt, "released", "Released code"},
    {InverseScheme::Theorem, "theorem", "Theorem"},
    {InverseScheme::Backtracking, "backtracking", "Backtracking"},
    {InverseScheme::Nystromformer, "nystromformer", "Nyströmformer"}};

inline constexpr std::tuple convergenceSettings{
    ChoiceSetting<ConvergenceSettings, std::optional<InverseScheme>>{
        {.key = "scheme",
         .flag = "--scheme",
         .type = "released|theorem|backtracking|nystromformer",
         .help = "Where the iteration starts and how it goes on; released: as each mechanism's "
                 "code does",
         .label = "Scheme",
         .tip = "Where the iteration starts, and how it goes on"},
        &ConvergenceSettings::scheme,
        schemeNames},
    NumberSetting<ConvergenceSettings, int>{{.key = "iterations",
                                             .flag = "--iterations",
                                             .type = "N",
                                             .help = "Steps of the iteration",
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
                                     &ConvergenceSettings::singlePrecision}};

/// Of both analyses that invert A exactly: eigenvalues under this share of the largest count as
/// zero.
template <typename Owner>
constexpr NumberSetting<Owner, double> rcondSetting{
    {.key = "rcond",
     .flag = "--rcond",
     .type = "X",
     .help = "The exact inverse drops eigenvalues under this share of the largest (default: 1e-12)",
     .label = "Smallest eigenvalue kept"},
    &Owner::rcond,
    0,
    1};

/// Sides of the picture in a sweep.
constexpr int leastSweptSide = 8;
constexpr int mostSweptSide = 8192;

struct NormsSettings {
  /// Sides of the picture to sweep over; empty for the size the models ran at.
  std::vector<int> sizes;
  /// Eigenvalues of A under this share of the largest count as zero in its exact inverse.
  double rcond = 1e-12;

  bool operator==(const NormsSettings&) const = default;
};

struct MatrixSettings {
  int head = 0;
  /// Every head of a layer instead of that one.
  bool allHeads = false;
  /// What is shown, in fractions of the matrix from its left and its top.
  QRectF part{0, 0, 1, 1};
  /// On a side of what is printed and saved; 0 for as many as can be seen.
  int cells = 0;

  bool operator==(const MatrixSettings&) const = default;
};

/// What a map of shares compares a head's attention term with.
enum class ShareOf {
  Residual,  ///< the residual stream that it is added to
  Beside,    ///< what is added beside it, head by head
  Knockout,  ///< the logits without it, with the logits
};

struct ShareSettings {
  ShareOf of = ShareOf::Residual;
  /// Whether knock-outs are made at all.
  bool knockouts = true;

  bool operator==(const ShareSettings&) const = default;
};

/// What the overview says of every head.
enum class OverviewOf {
  Distance,  ///< how far it looks, in pixels
  Entropy,   ///< how widely it looks, as a share of ln(keys)
};

struct OverviewSettings {
  OverviewOf of = OverviewOf::Distance;

  bool operator==(const OverviewSettings&) const = default;
};

/// Everything that is chosen on the pages of analyses.
struct AnalysisSettings {
  AnalysisScope scope;
  OverviewSettings overview;
  SaliencySettings saliency;
  SpectrumSettings spectrum;
  ConvergenceSettings convergence;
  NormsSettings norms;
  MatrixSettings matrix;
  CostSweep cost;
  BottleneckSettings bottleneck;
  ShareSettings share;

  bool operator==(const AnalysisSettings&) const = default;
};

/// As a workspace file keeps them. What is missing or unknown there stays at its default.
QJsonObject analysisJson(const AnalysisSettings& settings);
AnalysisSettings readAnalysis(const QJsonObject& json);

}  // namespace softscope
