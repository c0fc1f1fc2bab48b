#pragma once

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QJsonObject>

namespace softscope {

/// As a workspace file keeps them. What is missing or unknown there stays at its default.
QJsonObject analysisJson(const AnalysisSettings& settings);
AnalysisSettings readAnalysis(const QJsonObject& json);

}  // namespace softscope
