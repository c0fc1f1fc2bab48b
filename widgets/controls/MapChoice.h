#pragma once

#include "widgets/settings/MapSettings.h"

#include <QtWidgets/QComboBox>

#include <vector>

namespace softscope {

/// The choice of what multiplies V, attention, convolution or both, or of what landmarks stand for.
class MapChoice : public QComboBox {
  Q_OBJECT

 public:
  explicit MapChoice(QWidget* parent = nullptr);

  /// Shows what is chosen, and offers `maps` alone. With an obstacle there is nothing to choose,
  /// and the tool tip says why.
  void setMap(ShownMap map, const std::vector<ShownMap>& maps, const QString& obstacle);

 Q_SIGNALS:
  void chosen(softscope::ShownMap map);
};

}  // namespace softscope
