#pragma once

#include "core/Progress.h"
#include "core/analysis/ModelFunctions.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/array/Table.h"
#include "core/image/Picture.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/AnalysisSettings.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A layer, and its model ready to run again on the same picture, its shorter side resized and the
/// centre cropped to `side` x `side` as published.
struct NormsSubject {
  using Run = std::function<std::shared_ptr<const Inspection>(int side, const Progress& progress)>;

  AnalysedLayer layer;
  Run run;
};

/// What runs `model` on `picture` again.
NormsSubject::Run sizedRun(ModelInspector inspector, std::shared_ptr<const Model> model,
                           std::shared_ptr<const Picture> picture);

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

/// Two plots, of the released inverse and of the exact one: all four norms head by head at one
/// size; with several, the inverses' against m, with the exponents in the legend beside the m^2 and
/// m of SOFT++'s Propositions 5 and 6.
std::vector<Plot> normsPlots(const std::vector<LayerNorms>& layers);

PanelFigure normsFigure(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

/// `model,layer,head,inverse,height,width,tokens,landmarks,rcond,condition,norm_soft,norm_softpp,`
/// `norm_pinv,norm_pinv_normalised`, inverse being `released` or `exact`.
Table normsTable(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

}  // namespace softscope
