#include "widgets/settings/AnalysisFile.h"

#include "widgets/settings/SettingValues.h"

#include <QtCore/QJsonArray>

#include <algorithm>

namespace softscope {
namespace {

template <typename Settings, typename Owner>
QJsonObject jsonOf(const Settings& settings, const Owner& owner) {
  QJsonObject json;
  writeSettings(settings, owner, json);
  return json;
}

template <typename Settings, typename Owner>
void readInto(Owner& owner, const Settings& settings, const QJsonValue& json) {
  readSettings(settings, json.toObject(), owner);
}

constexpr auto convergenceFileSettings =
    std::tuple_cat(convergenceSettings, std::tuple(rcondSetting<ConvergenceSettings>));
constexpr auto deletionFileSettings = std::tuple_cat(deletionSettings, followedClassSettings);
constexpr std::tuple normsFileSettings(rcondSetting<NormsSettings>);

QJsonObject normsJson(const NormsSettings& norms) {
  QJsonArray sizes;
  for (const int size : norms.sizes) sizes.append(size);
  QJsonObject json = jsonOf(normsFileSettings, norms);
  json["sizes"] = sizes;
  return json;
}

void readNorms(NormsSettings& norms, const QJsonValue& json) {
  readInto(norms, normsFileSettings, json);
  for (const QJsonValue& size : json["sizes"].toArray()) {
    const int side = size.toInt();
    if (side >= leastSweptSide && side <= mostSweptSide) norms.sizes.push_back(side);
  }
}

QJsonObject matrixJson(const MatrixSettings& matrix) {
  const MatrixFraction& part = matrix.part;
  QJsonObject json = jsonOf(matrixSettings, matrix);
  json["part"] = QJsonArray{part.left, part.top, part.width, part.height};
  return json;
}

void readMatrix(MatrixSettings& matrix, const QJsonValue& json) {
  readInto(matrix, matrixSettings, json);
  const QJsonArray part = json["part"].toArray();
  const MatrixFraction read{part[0].toDouble(), part[1].toDouble(), part[2].toDouble(),
                            part[3].toDouble()};
  if (read.isInside()) matrix.part = read;
}

QJsonObject costJson(const CostSweep& cost) {
  QJsonArray mechanisms;
  for (const std::string& name : cost.mechanisms) mechanisms += QString::fromStdString(name);
  QJsonObject json = jsonOf(costSettings, cost);
  json["mechanisms"] = mechanisms;
  return json;
}

void readCost(CostSweep& cost, const QJsonValue& json) {
  readInto(cost, costSettings, json);
  const std::vector<std::string>& known = costMechanisms();
  for (const QJsonValue& value : json["mechanisms"].toArray()) {
    const std::string name = value.toString().toStdString();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      cost.mechanisms.push_back(name);
    }
  }
}

}  // namespace

QJsonObject analysisJson(const AnalysisSettings& settings) {
  return {{"scope", jsonOf(scopeSettings, settings.scope)},
          {"overview", jsonOf(overviewSettings, settings.overview)},
          {"saliency", jsonOf(saliencySettings, settings.saliency)},
          {"spectrum", jsonOf(spectrumSettings, settings.spectrum)},
          {"convergence", jsonOf(convergenceFileSettings, settings.convergence)},
          {"norms", normsJson(settings.norms)},
          {"matrix", matrixJson(settings.matrix)},
          {"cost", costJson(settings.cost)},
          {"bottleneck", jsonOf(bottleneckSettings, settings.bottleneck)},
          {"share", jsonOf(shareSettings, settings.share)},
          {"tokens", jsonOf(tokenSettings, settings.tokens)},
          {"rollout", jsonOf(rolloutSettings, settings.rollout)},
          {"deletion", jsonOf(deletionFileSettings, settings.deletion)},
          {"survey", jsonOf(surveyFileSettings, settings.survey)}};
}

AnalysisSettings readAnalysis(const QJsonObject& json) {
  AnalysisSettings settings;
  readInto(settings.scope, scopeSettings, json["scope"]);
  readInto(settings.overview, overviewSettings, json["overview"]);
  readInto(settings.saliency, saliencySettings, json["saliency"]);
  readInto(settings.spectrum, spectrumSettings, json["spectrum"]);
  readInto(settings.convergence, convergenceFileSettings, json["convergence"]);
  readNorms(settings.norms, json["norms"]);
  readMatrix(settings.matrix, json["matrix"]);
  readCost(settings.cost, json["cost"]);
  readInto(settings.bottleneck, bottleneckSettings, json["bottleneck"]);
  readInto(settings.share, shareSettings, json["share"]);
  readInto(settings.tokens, tokenSettings, json["tokens"]);
  readInto(settings.rollout, rolloutSettings, json["rollout"]);
  readInto(settings.deletion, deletionFileSettings, json["deletion"]);
  readInto(settings.survey, surveyFileSettings, json["survey"]);
  return settings;
}

}  // namespace softscope
