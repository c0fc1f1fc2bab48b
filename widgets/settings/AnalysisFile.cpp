#include "widgets/settings/AnalysisFile.h"

#include "widgets/settings/SettingValues.h"

#include <QtCore/QJsonArray>

#include <algorithm>

namespace softscope {
namespace {

// Lists of numbers and of names are not described settings, so they are written here.

template <typename Settings>
void writeLists(const Settings&, QJsonObject&) {}
template <typename Settings>
void readLists(Settings&, const QJsonValue&) {}

void writeLists(const NormsSettings& norms, QJsonObject& json) {
  QJsonArray sizes;
  for (const int size : norms.sizes) sizes.append(size);
  json["sizes"] = sizes;
}

void readLists(NormsSettings& norms, const QJsonValue& json) {
  for (const QJsonValue& size : json["sizes"].toArray()) {
    const int side = size.toInt();
    if (side >= leastSweptSide && side <= mostSweptSide) norms.sizes.push_back(side);
  }
}

void writeLists(const MatrixSettings& matrix, QJsonObject& json) {
  const MatrixFraction& part = matrix.part;
  json["part"] = QJsonArray{part.left, part.top, part.width, part.height};
}

void readLists(MatrixSettings& matrix, const QJsonValue& json) {
  const QJsonArray part = json["part"].toArray();
  const MatrixFraction read{part[0].toDouble(), part[1].toDouble(), part[2].toDouble(),
                            part[3].toDouble()};
  if (read.isInside()) matrix.part = read;
}

void writeLists(const CostSweep& cost, QJsonObject& json) {
  QJsonArray mechanisms;
  for (const std::string& name : cost.mechanisms) mechanisms += QString::fromStdString(name);
  json["mechanisms"] = mechanisms;
}

void readLists(CostSweep& cost, const QJsonValue& json) {
  const std::vector<std::string>& known = costMechanisms();
  for (const QJsonValue& value : json["mechanisms"].toArray()) {
    const std::string name = value.toString().toStdString();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      cost.mechanisms.push_back(name);
    }
  }
}

constexpr QLatin1String scopesKey("scopes");
/// Files of earlier versions have one scope for all analyses.
constexpr QLatin1String commonScopeKey("scope");

}  // namespace

QJsonObject analysisJson(const AnalysisSettings& settings) {
  QJsonObject json;
  QJsonObject scopes;
  forEachAnalysis(Analyses(), [&]<typename A>() {
    if constexpr (HasSettings<A>) {
      const auto& own = settings.of<typename A::Settings>();
      QJsonObject object;
      writeSettings(fileSettingsOf<A>(), own, object);
      writeLists(own, object);
      json[QLatin1String(A::about.name)] = object;
    }
    const AnalysisScope scope = settings.scopeOf(A::about.name);
    if (scope == AnalysisSettings::defaultScope(A::about.name)) return;
    QJsonObject written;
    writeSettings(scopeSettings, scope, written);
    scopes[QLatin1String(A::about.name)] = written;
  });
  json[scopesKey] = scopes;
  return json;
}

AnalysisSettings readAnalysis(const QJsonObject& json) {
  AnalysisSettings settings;
  const QJsonObject scopes = json[scopesKey].toObject();
  forEachAnalysis(Analyses(), [&]<typename A>() {
    AnalysisScope scope = AnalysisSettings::defaultScope(A::about.name);
    readSettings(scopeSettings, json[commonScopeKey].toObject(), scope);
    readSettings(scopeSettings, scopes[QLatin1String(A::about.name)].toObject(), scope);
    settings.setScope(A::about.name, scope);
    if constexpr (HasSettings<A>) {
      const QJsonValue value = json[QLatin1String(A::about.name)];
      auto& own = settings.of<typename A::Settings>();
      readSettings(fileSettingsOf<A>(), value.toObject(), own);
      readLists(own, value);
    }
  });
  return settings;
}

}  // namespace softscope
