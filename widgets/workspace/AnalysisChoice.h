#pragma once

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QObject>

namespace softscope {

/// What each analysis is of and how it is shown.
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
