#include "widgets/settings/AnalysisSettings.h"

#include "widgets/settings/EnumerationNames.h"
#include "widgets/settings/SettingValues.h"

#include <QtCore/QJsonArray>

#include <algorithm>

namespace softscope {
namespace {

constexpr Name<CostOver> overNames[] = {
    {CostOver::Tokens, "tokens"}, {CostOver::Channels, "channels"}, {CostOver::Heads, "heads"}};
constexpr Name<CostScope> scopeNames[] = {{CostScope::Attention, "attention"},
                                          {CostScope::Vit12, "vit12"}};
constexpr Name<SaliencyOf> saliencyNames[] = {
    {SaliencyOf::Both, "both"}, {SaliencyOf::Queries, "queries"}, {SaliencyOf::Keys, "keys"}};

constexpr Name<SpectrumOf> spectrumNames[] = {{SpectrumOf::Attention, "attention"},
                                              {SpectrumOf::Bottleneck, "bottleneck"},
                                              {SpectrumOf::Inverse, "inverse"}};

constexpr Name<ShareOf> shareNames[] = {
    {ShareOf::Residual, "residual"}, {ShareOf::Beside, "beside"}, {ShareOf::Knockout, "knockout"}};

constexpr Name<OverviewOf> overviewNames[] = {{OverviewOf::Distance, "distance"},
                                              {OverviewOf::Entropy, "entropy"}};

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

QJsonObject bottleneckJson(const BottleneckSettings& bottleneck) {
  QJsonObject json{{"approximation", bottleneck.approximation}, {"head", bottleneck.head}};
  if (bottleneck.landmark) json["landmark"] = *bottleneck.landmark;
  return json;
}

BottleneckSettings bottleneckOf(const QJsonObject& json) {
  BottleneckSettings bottleneck{
      json["approximation"].toBool(), std::max(0, json["head"].toInt()), {}};
  const int landmark = json["landmark"].toInt(-1);
  if (landmark >= 0) bottleneck.landmark = landmark;
  return bottleneck;
}

QJsonObject spectrumJson(const SpectrumSettings& spectrum) {
  return {{"of", nameOf(spectrumNames, spectrum.of)}, {"logarithmic", spectrum.logarithmic}};
}

SpectrumSettings spectrumOf(const QJsonObject& json) {
  return {valueOf(spectrumNames, json["of"].toString()), json["logarithmic"].toBool(true)};
}

QJsonObject convergenceJson(const ConvergenceSettings& convergence) {
  QJsonObject json;
  writeSettings(convergenceSettings, convergence, json);
  writeSettings(std::tuple(rcondSetting<ConvergenceSettings>), convergence, json);
  return json;
}

ConvergenceSettings convergenceOf(const QJsonObject& json) {
  ConvergenceSettings convergence;
  readSettings(convergenceSettings, json, convergence);
  readSettings(std::tuple(rcondSetting<ConvergenceSettings>), json, convergence);
  return convergence;
}

QJsonObject normsJson(const NormsSettings& norms) {
  QJsonArray sizes;
  for (const int size : norms.sizes) sizes.append(size);
  return {{"sizes", sizes}, {"rcond", norms.rcond}};
}

NormsSettings normsOf(const QJsonObject& json) {
  NormsSettings norms;
  for (const QJsonValue& size : json["sizes"].toArray()) {
    const int side = size.toInt();
    if (side >= leastSweptSide && side <= mostSweptSide) norms.sizes.push_back(side);
  }
  readSettings(std::tuple(rcondSetting<NormsSettings>), json, norms);
  return norms;
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

QJsonObject shareJson(const ShareSettings& share) {
  return {{"of", nameOf(shareNames, share.of)}, {"knockouts", share.knockouts}};
}

ShareSettings shareOf(const QJsonObject& json) {
  return {valueOf(shareNames, json["of"].toString()), json["knockouts"].toBool(true)};
}

}  // namespace

QJsonObject analysisJson(const AnalysisSettings& settings) {
  return {{"scope", scopeJson(settings.scope)},
          {"overview", QJsonObject{{"of", nameOf(overviewNames, settings.overview.of)}}},
          {"saliency", saliencyJson(settings.saliency)},
          {"spectrum", spectrumJson(settings.spectrum)},
          {"convergence", convergenceJson(settings.convergence)},
          {"norms", normsJson(settings.norms)},
          {"matrix", matrixJson(settings.matrix)},
          {"cost", costJson(settings.cost)},
          {"bottleneck", bottleneckJson(settings.bottleneck)},
          {"share", shareJson(settings.share)}};
}

AnalysisSettings readAnalysis(const QJsonObject& json) {
  AnalysisSettings settings;
  settings.scope = scopeOf(json["scope"].toObject());
  settings.overview.of = valueOf(overviewNames, json["overview"].toObject()["of"].toString());
  settings.saliency = saliencyOf(json["saliency"].toObject());
  settings.spectrum = spectrumOf(json["spectrum"].toObject());
  settings.convergence = convergenceOf(json["convergence"].toObject());
  settings.norms = normsOf(json["norms"].toObject());
  settings.matrix = matrixOf(json["matrix"].toObject());
  settings.cost = costOf(json["cost"].toObject());
  settings.bottleneck = bottleneckOf(json["bottleneck"].toObject());
  settings.share = shareOf(json["share"].toObject());
  return settings;
}

}  // namespace softscope
