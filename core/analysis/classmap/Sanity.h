#pragma once

#include "core/Matrix.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/array/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The likeness of a map to the trained network's, after more and more weights were drawn anew.
struct SanityCurve {
  ClassMethod method = ClassMethod::GradientRollout;
  /// Spearman's rank correlation for each part, of the values and of their magnitudes; empty where
  /// either map is missing, is of another block, or has one value only.
  std::vector<std::optional<double>> correlation;
  std::vector<std::optional<double>> magnitudeCorrelation;
};

/// Test of whether the class maps of a model depend on its weights: these are drawn anew, part by
/// part from the answer down ("Sanity Checks for Saliency Maps", 2018, arXiv 1810.03292, Section
/// 3). A map that stays alike shows the picture and not what the network has learned.
struct ModelSanity {
  std::string model;
  std::string mechanismNote;
  std::vector<std::string> classNames;
  int classIndex = 0;
  /// The parts in the order in which they are drawn anew; earlier ones stay so.
  std::vector<std::string> parts;
  std::vector<SanityCurve> curves;
};

/// Returns Spearman's rank correlation, where equal values share the mean of their ranks; empty if
/// either has one value only.
std::optional<double> rankCorrelation(const Vector& first, const Vector& second);

/// Returns the curves of every method that both sides have a map for: `randomised` holds the maps
/// after each part.
std::vector<SanityCurve> sanityCurves(const ClassMaps& trained,
                                      const std::vector<ClassMaps>& randomised);

/// Returns the table
/// `model,class,method,step,randomised,rank_correlation,magnitude_rank_correlation` with a row for
/// each method and part; steps count from 1.
Table sanityTable(const std::vector<ModelSanity>& models);

/// The analysis of whether class maps depend on the weights. It has the settings of class maps, and
/// no page: it changes the model.
struct SanityAnalysis {
  static constexpr AnalysisDescription about{
      .name = "sanity",
      .title = "Sanity",
      .group = AnalysisGroup::Evidence,
      .summary =
          "whether class maps depend on the weights: rank correlations as these are drawn "
          "anew, part by part",
      .choosesLayers = false,
      .hasColorBars = false,
      .hasPage = false,
  };
};

}  // namespace softscope
