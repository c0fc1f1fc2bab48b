#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/array/Table.h"
#include "core/linalg/PowerLaw.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

struct NormsSettings {
  /// Sides of the picture to sweep over; empty for the size the models ran at.
  std::vector<int> sizes;
  /// Eigenvalues of A under this share of the largest count as zero in its exact inverse.
  double rcond = 1e-12;

  bool operator==(const NormsSettings&) const = default;
};

/// A layer, and its model ready to run again on the same picture with bottlenecks recorded in
/// float64: its shorter side resized and the centre cropped to `side` x `side` as published, or
/// without a side as it ran before.
struct NormsSubject {
  using Run = std::function<std::shared_ptr<const Inspection>(std::optional<int> side,
                                                              const Progress& progress)>;

  AnalysedLayer layer;
  /// Null where the model is not there: norms are of what was recorded, which is float32.
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

/// At every size that was asked for, or why there are none.
struct LayerNorms {
  AnalysedLayer of;
  std::vector<SizeNorms> sizes;
  std::string obstacle;
};

/// Every model is run anew at each of the sizes that `settings` names, or once as it saw the
/// picture. Runs of one model are shared by its layers and forgotten. May throw Cancelled.
std::vector<LayerNorms> computeNorms(const std::vector<NormsSubject>& subjects,
                                     const NormsSettings& settings, const Progress& progress = {});

/// How the norms of one head grow with the number of landmarks m, and so with the number of tokens,
/// of which each stands for as many: m^a fitted through the sizes; nothing of fewer than two.
struct NormGrowth {
  std::optional<PowerLaw> attention;            ///< |S|, SOFT's
  std::optional<PowerLaw> attentionNormalised;  ///< |S|, SOFT++'s
  std::optional<PowerLaw> inverse;              ///< |V|
  std::optional<PowerLaw> inverseNormalised;    ///< |D^-1/2 V D^-1/2|
};
/// With the exact inverse, or the released one.
NormGrowth normGrowth(const LayerNorms& layer, std::size_t head, bool exact);

/// `model,layer,head,inverse,height,width,tokens,landmarks,rcond,condition,norm_soft,norm_softpp,`
/// `norm_pinv,norm_pinv_normalised`, inverse being `released` or `exact`; then `precision` (of A
/// and P: float32 or float64), `bound_soft,bound_softpp` (|P|^2 |V|, SOFT++'s Eq. 15, and the same
/// of D^-1/2 V D^-1/2), and the exponents of m that the four norms grow with over the sizes, each
/// with its standard error: `norm_soft_exponent,norm_soft_exponent_error`, ...
Table normsTable(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

}  // namespace softscope
