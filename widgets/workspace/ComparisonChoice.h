#pragma once

#include "widgets/settings/Comparison.h"

#include <QtCore/QObject>

namespace softscope {

/// Holds how the open models are compared.
class ComparisonChoice : public QObject {
  Q_OBJECT

 public:
  const Comparison& settings() const { return settings_; }
  void set(const Comparison& settings);

 Q_SIGNALS:
  void changed();
  /// Layers have been linked: from now on all follow the current model's.
  void layersLinked();

 private:
  Comparison settings_;
};

}  // namespace softscope
