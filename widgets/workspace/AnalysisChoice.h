#pragma once

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QObject>
#include <QtCore/QStringList>

namespace softscope {

/// Holds the settings of each analysis: what it examines and how it is shown.
class AnalysisChoice : public QObject {
  Q_OBJECT

 public:
  const AnalysisSettings& settings() const { return settings_; }
  void set(const AnalysisSettings& settings);
  /// Has similarity of tokens compare patches with the vectors of .npy files, or with the query's
  /// token again if there are no `paths`.
  void compareVectors(const QStringList& paths);

 Q_SIGNALS:
  void changed();

 private:
  AnalysisSettings settings_;
};

}  // namespace softscope
