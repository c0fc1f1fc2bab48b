#pragma once

#include "core/analysis/Cost.h"
#include "core/analysis/Spectrum.h"

#include <QtCore/QJsonObject>
#include <QtCore/QRectF>

namespace softscope {

/// What analyses with several curves are of.
struct AnalysisScope {
  /// Every layer instead of the chosen one.
  bool allLayers = false;
  /// Every open model instead of the current one.
  bool allModels = false;

  bool operator==(const AnalysisScope&) const = default;
};

struct SpectrumSettings {
  SpectrumOf of = SpectrumOf::Attention;
  bool logarithmic = true;

  bool operator==(const SpectrumSettings&) const = default;
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

/// Everything that is chosen on the pages of analyses.
struct AnalysisSettings {
  AnalysisScope scope;
  SpectrumSettings spectrum;
  MatrixSettings matrix;
  CostSweep cost;

  bool operator==(const AnalysisSettings&) const = default;
};

/// As a workspace file keeps them. What is missing or unknown there stays at its default.
QJsonObject analysisJson(const AnalysisSettings& settings);
AnalysisSettings readAnalysis(const QJsonObject& json);

}  // namespace softscope
