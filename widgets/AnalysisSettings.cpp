#include "widgets/AnalysisSettings.h"

#include "widgets/EnumerationNames.h"

#include <QtCore/QJsonArray>

#include <algorithm>

namespace softscope {
namespace {

constexpr Name<CostOver> overNames[] = {
    {CostOver::Tokens, "tokens"}, {CostOver::Channels, "channels"}, {CostOver::Heads, "heads"}};
constexpr Name<CostScope> scopeNames[] = {{CostScope::Attention, "attention"},
                                          {CostScope::Vit12, "vit12"}};
constexpr Name<SpectrumOf> spectrumNames[] = {{SpectrumOf::Attention, "attention"},
                                              {SpectrumOf::Bottleneck, "bottleneck"},
                                              {SpectrumOf::Inverse, "inverse"}};

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

QJsonObject matrixJson(const MatrixSettings& matrix) {
  const QRectF& part = matrix.part;
  return {{"head", matrix.head},
          {"allHeads", matrix.allHeads},
          {"part", QJsonArray{part.x(), part.y(), part.width(), part.height()}}};
}

MatrixSettings matrixOf(const QJsonObject& json) {
  MatrixSettings matrix;
  matrix.head = std::max(0, json["head"].toInt());
  matrix.allHeads = json["allHeads"].toBool();
  const QJsonArray part = json["part"].toArray();
  const QRectF read(part[0].toDouble(), part[1].toDouble(), part[2].toDouble(), part[3].toDouble());
  constexpr double rounding = 1e-9;
  const bool inside = read.left() >= 0 && read.top() >= 0 && read.right() <= 1 + rounding &&
                      read.bottom() <= 1 + rounding;
  if (!read.isEmpty() && inside) matrix.part = read;
  return matrix;
}

QJsonObject costJson(const CostSweep& cost) {
  QJsonArray mechanisms;
  for (const std::string& name : cost.mechanisms) mechanisms += QString::fromStdString(name);
  return {{"over", nameOf(overNames, cost.over)},
          {"scope", nameOf(scopeNames, cost.scope)},
          {"mechanisms", mechanisms}};
}

CostSweep costOf(const QJsonObject& json) {
  CostSweep cost;
  cost.over = valueOf(overNames, json["over"].toString());
  cost.scope = valueOf(scopeNames, json["scope"].toString());
  const std::vector<std::string>& known = costMechanisms();
  for (const QJsonValue& value : json["mechanisms"].toArray()) {
    const std::string name = value.toString().toStdString();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      cost.mechanisms.push_back(name);
    }
  }
  return cost;
}

}  // namespace

QJsonObject analysisJson(const AnalysisSettings& settings) {
  return {{"scope", scopeJson(settings.scope)},
          {"spectrum", spectrumJson(settings.spectrum)},
          {"matrix", matrixJson(settings.matrix)},
          {"cost", costJson(settings.cost)}};
}

AnalysisSettings readAnalysis(const QJsonObject& json) {
  AnalysisSettings settings;
  settings.scope = scopeOf(json["scope"].toObject());
  settings.spectrum = spectrumOf(json["spectrum"].toObject());
  settings.matrix = matrixOf(json["matrix"].toObject());
  settings.cost = costOf(json["cost"].toObject());
  return settings;
}

}  // namespace softscope
