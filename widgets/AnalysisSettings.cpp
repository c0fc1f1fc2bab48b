#include "widgets/AnalysisSettings.h"

#include "widgets/EnumerationNames.h"

#include <QtCore/QJsonArray>

#include <algorithm>

namespace softscope {
namespace {

constexpr Name<SpectrumOf> spectrumNames[] = {{SpectrumOf::Attention, "attention"},
                                              {SpectrumOf::Bottleneck, "bottleneck"},
                                              {SpectrumOf::Inverse, "inverse"}};

constexpr Name<std::optional<InverseScheme>> schemeNames[] = {
    {std::nullopt, "released"},
    {InverseScheme::Theorem, "theorem"},
    {InverseScheme::Backtracking, "backtracking"},
    {InverseScheme::Nystromformer, "nystromformer"}};

constexpr int mostIterations = 10000;

QJsonObject scopeJson(const AnalysisScope& scope) {
  return {{"allLayers", scope.allLayers}, {"allModels", scope.allModels}};
}

AnalysisScope scopeOf(const QJsonObject& json) {
  return {json["allLayers"].toBool(), json["allModels"].toBool()};
}

QJsonObject spectrumJson(const SpectrumSettings& spectrum) {
  return {{"of", nameOf(spectrumNames, spectrum.of)}, {"logarithmic", spectrum.logarithmic}};
}

SpectrumSettings spectrumOf(const QJsonObject& json) {
  return {valueOf(spectrumNames, json["of"].toString()), json["logarithmic"].toBool(true)};
}

double readRcond(const QJsonObject& json) {
  return std::clamp(json["rcond"].toDouble(1e-12), 0.0, 1.0);
}

QJsonObject convergenceJson(const ConvergenceSettings& convergence) {
  return {{"scheme", nameOf(schemeNames, convergence.scheme)},
          {"iterations", convergence.iterations},
          {"float32", convergence.singlePrecision},
          {"rcond", convergence.rcond}};
}

ConvergenceSettings convergenceOf(const QJsonObject& json) {
  return {valueOf(schemeNames, json["scheme"].toString()),
          std::clamp(json["iterations"].toInt(20), 1, mostIterations), json["float32"].toBool(),
          readRcond(json)};
}

QJsonObject normsJson(const NormsSettings& norms) {
  QJsonArray sizes;
  for (const int size : norms.sizes) sizes.append(size);
  return {{"sizes", sizes}, {"rcond", norms.rcond}};
}

NormsSettings normsOf(const QJsonObject& json) {
  NormsSettings norms;
  for (const QJsonValue& size : json["sizes"].toArray()) {
    if (size.toInt() >= 8 && size.toInt() <= 8192) norms.sizes.push_back(size.toInt());
  }
  norms.rcond = readRcond(json);
  return norms;
}

}  // namespace

QJsonObject analysisJson(const AnalysisSettings& settings) {
  return {{"scope", scopeJson(settings.scope)},
          {"spectrum", spectrumJson(settings.spectrum)},
          {"convergence", convergenceJson(settings.convergence)},
          {"norms", normsJson(settings.norms)}};
}

AnalysisSettings readAnalysis(const QJsonObject& json) {
  AnalysisSettings settings;
  settings.scope = scopeOf(json["scope"].toObject());
  settings.spectrum = spectrumOf(json["spectrum"].toObject());
  settings.convergence = convergenceOf(json["convergence"].toObject());
  settings.norms = normsOf(json["norms"].toObject());
  return settings;
}

}  // namespace softscope
