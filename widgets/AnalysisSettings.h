#pragma once

#include "core/analysis/Saliency.h"
#include "core/analysis/Spectrum.h"

#include <QtCore/QJsonObject>

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

struct SpectrumSettings {
  SpectrumOf of = SpectrumOf::Attention;
  bool logarithmic = true;

  bool operator==(const SpectrumSettings&) const = default;
};

/// Everything that is chosen on the pages of analyses.
struct AnalysisSettings {
  AnalysisScope scope;
  SaliencySettings saliency;
  SpectrumSettings spectrum;

  bool operator==(const AnalysisSettings&) const = default;
};

/// As a workspace file keeps them. What is missing or unknown there stays at its default.
QJsonObject analysisJson(const AnalysisSettings& settings);
AnalysisSettings readAnalysis(const QJsonObject& json);

}  // namespace softscope
