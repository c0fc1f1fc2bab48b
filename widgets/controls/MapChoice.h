#pragma once

#include "widgets/settings/MapSettings.h"

#include <QtWidgets/QComboBox>

#include <vector>

namespace softscope {

/// A choice of the map to show: what multiplies V (the attention, the convolution or both), or the
/// exact kernel that landmarks approximate.
class MapChoice : public QComboBox {
  Q_OBJECT

 public:
  explicit MapChoice(QWidget* parent = nullptr);

  /// Shows `map` as chosen and offers all maps but `missing`, whose entries tell why in their tool
  /// tips. If `obstacle` is not empty, nothing can be chosen and the tool tip shows it as the
  /// reason.
  void setMap(ShownMap map, const std::vector<MissingMap>& missing, const QString& obstacle);

 Q_SIGNALS:
  void chosen(softscope::ShownMap map);
};

}  // namespace softscope
