#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/array/Table.h"

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

/// A layer, and its model ready to run again on the same picture, its shorter side resized and the
/// centre cropped to `side` x `side` as published.
struct NormsSubject {
  using Run = std::function<std::shared_ptr<const Inspection>(int side, const Progress& progress)>;

  AnalysedLayer layer;
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

/// As the models saw the picture where `settings` names no sizes; otherwise every model is run
/// anew at each of them. Runs of one model are shared by its layers and forgotten. May throw
/// Cancelled.
std::vector<LayerNorms> computeNorms(const std::vector<NormsSubject>& subjects,
                                     const NormsSettings& settings, const Progress& progress = {});

/// How |V| and |D^-1/2 V D^-1/2| of one head grow with the number of landmarks m: exponents of
/// m^a fitted through the sizes; nothing of fewer than two.
struct NormGrowth {
  std::optional<double> released;
  std::optional<double> releasedNormalised;
  std::optional<double> exact;
  std::optional<double> exactNormalised;
};
NormGrowth normGrowth(const LayerNorms& layer, std::size_t head);

/// `model,layer,head,inverse,height,width,tokens,landmarks,rcond,condition,norm_soft,norm_softpp,`
/// `norm_pinv,norm_pinv_normalised`, inverse being `released` or `exact`.
Table normsTable(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

}  // namespace softscope
