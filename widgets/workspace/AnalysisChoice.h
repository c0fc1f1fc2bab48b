#pragma once

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QObject>

namespace softscope {

/// Holds the settings of each analysis: what it examines and how it is shown.
class AnalysisChoice : public QObject {
  Q_OBJECT

 public:
  const AnalysisSettings& settings() const { return settings_; }
  void set(const AnalysisSettings& settings);

 Q_SIGNALS:
  void changed();

 private:
  AnalysisSettings settings_;
};

}  // namespace softscope
