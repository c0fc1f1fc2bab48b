#pragma once

#include "core/Progress.h"
#include "core/Setting.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/bottleneck/ConvergenceAnalysis.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/array/Table.h"
#include "core/image/Picture.h"
#include "core/inspect/Inspection.h"
#include "core/linalg/PowerLaw.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

struct NormsSettings {
  /// Sides of the picture to sweep over, in pixels; empty for the size the models ran at.
  std::vector<int> sizes;
  /// Eigenvalues of A below this share of the largest count as zero in its exact inverse.
  double rcond = 1e-12;

  bool operator==(const NormsSettings&) const = default;
};

/// A layer, and a function that runs its model again on the same picture with bottlenecks recorded
/// in float64. With a side, the picture's shorter side is resized and the centre cropped to `side`
/// x `side`, as published, or so is the tensor that was given in place of a picture; without a
/// side, the model runs on the input that it last ran on.
struct NormsSubject {
  using Run = std::function<std::shared_ptr<const Inspection>(std::optional<int> side,
                                                              const Progress& progress)>;

  AnalysedLayer layer;
  /// Null if the model is not available; norms are then computed from what was recorded, in
  /// float32.
  Run run;
};

/// The norms of a layer's heads at one size of the picture.
struct SizeNorms {
  int height = 0;
  int width = 0;
  int tokens = 0;
  int landmarks = 0;
  std::vector<ReleasedAndExactNorms> heads;
};

/// The norms at every size that was asked for, or the reason why there are none.
struct LayerNorms {
  AnalysedLayer of;
  std::vector<SizeNorms> sizes;
  std::string obstacle;
};

/// Returns the norms of the heads of each layer in `subjects`. Runs every model anew at each of the
/// sizes in `settings`, or, if `settings` lists no sizes, once on the input that the model last ran
/// on. The layers of one model share its runs, which are not kept. May throw Cancelled.
std::vector<LayerNorms> computeNorms(const std::vector<NormsSubject>& subjects,
                                     const NormsSettings& settings, const Progress& progress = {});

/// How the norms of one head grow with the number of landmarks m, fitted as m^a over the sizes. The
/// number of tokens is proportional to m, since every landmark stands for the same number of
/// tokens. Each exponent is empty if there are fewer than two sizes.
struct NormGrowth {
  std::optional<PowerLaw> attention;            ///< |S|, SOFT's
  std::optional<PowerLaw> attentionNormalised;  ///< |S|, SOFT++'s
  std::optional<PowerLaw> inverse;              ///< |V|
  std::optional<PowerLaw> inverseNormalised;    ///< |D^-1/2 V D^-1/2|
};
/// True if the layer has SOFT++'s normalised norms, as bottlenecks with a Gaussian kernel have.
bool hasNormalisedNorms(const LayerNorms& layer);
/// Returns the growth with the exact inverse, or with the released one.
NormGrowth normGrowth(const LayerNorms& layer, std::size_t head, bool exact);

/// Returns the table with the columns
/// `model,layer,head,inverse,height,width,tokens,landmarks,rcond,condition,norm_soft,norm_softpp,`
/// `norm_pinv,norm_pinv_normalised`, where `inverse` is `released` or `exact`; then `precision` (of
/// A and P: float32 or float64), `bound_soft,bound_softpp` (|P|^2 |V|, SOFT++'s Eq. 15, and the
/// same for D^-1/2 V D^-1/2), and the exponents of m with which the four norms grow over the sizes,
/// each with its standard error: `norm_soft_exponent,norm_soft_exponent_error`, ...
Table normsTable(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

/// Returns a function that runs `model` on `picture` again; `sameInput` returns the input that the
/// model last ran on, for runs at its own size. The picture is null if the model ran on a tensor
/// that was given in place of a picture: other sizes are then made of that tensor, by
/// resizedInput(), since what is drawn of it may lack what 8 bits cannot hold.
NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture,
                           std::function<InputTensor()> sameInput);

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
      .hasColorBars = false,
  };
  static constexpr const auto& settingList = normsSettings;
  /// Settings that files keep, in addition to those handled by hand.
  static constexpr const auto& fileSettings = normsFileSettings;
};

}  // namespace softscope
