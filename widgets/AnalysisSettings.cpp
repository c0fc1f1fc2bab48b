#include "widgets/AnalysisSettings.h"

#include "widgets/EnumerationNames.h"

namespace softscope {
namespace {

constexpr Name<SaliencyOf> saliencyNames[] = {
    {SaliencyOf::Both, "both"}, {SaliencyOf::Queries, "queries"}, {SaliencyOf::Keys, "keys"}};

constexpr Name<SpectrumOf> spectrumNames[] = {{SpectrumOf::Attention, "attention"},
                                              {SpectrumOf::Bottleneck, "bottleneck"},
                                              {SpectrumOf::Inverse, "inverse"}};

QJsonObject scopeJson(const AnalysisScope& scope) {
  return {{"allLayers", scope.allLayers}, {"allModels", scope.allModels}};
}

AnalysisScope scopeOf(const QJsonObject& json) {
  return {json["allLayers"].toBool(), json["allModels"].toBool()};
}

QJsonObject saliencyJson(const SaliencySettings& saliency) {
  return {{"of", nameOf(saliencyNames, saliency.of)}, {"eachHead", saliency.eachHead}};
}

SaliencySettings saliencyOf(const QJsonObject& json) {
  return {valueOf(saliencyNames, json["of"].toString()), json["eachHead"].toBool()};
}

QJsonObject spectrumJson(const SpectrumSettings& spectrum) {
  return {{"of", nameOf(spectrumNames, spectrum.of)}, {"logarithmic", spectrum.logarithmic}};
}

SpectrumSettings spectrumOf(const QJsonObject& json) {
  return {valueOf(spectrumNames, json["of"].toString()), json["logarithmic"].toBool(true)};
}

}  // namespace

QJsonObject analysisJson(const AnalysisSettings& settings) {
  return {{"scope", scopeJson(settings.scope)},
          {"saliency", saliencyJson(settings.saliency)},
          {"spectrum", spectrumJson(settings.spectrum)}};
}

AnalysisSettings readAnalysis(const QJsonObject& json) {
  AnalysisSettings settings;
  settings.scope = scopeOf(json["scope"].toObject());
  settings.saliency = saliencyOf(json["saliency"].toObject());
  settings.spectrum = spectrumOf(json["spectrum"].toObject());
  return settings;
}

}  // namespace softscope
