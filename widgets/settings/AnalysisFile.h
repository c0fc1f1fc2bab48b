#pragma once

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QJsonObject>

namespace softscope {

/// Converts the settings of analyses to and from the JSON of a workspace file. Entries that are
/// missing or unknown there stay at their defaults.
QJsonObject analysisJson(const AnalysisSettings& settings);
AnalysisSettings readAnalysis(const QJsonObject& json);

}  // namespace softscope
