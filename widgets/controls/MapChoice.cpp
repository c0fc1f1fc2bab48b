#include "widgets/controls/MapChoice.h"

#include "widgets/controls/SettingControls.h"

#include <QtGui/QStandardItemModel>

#include <algorithm>

namespace softscope {

MapChoice::MapChoice(QWidget* parent) : QComboBox(parent) {
  for (const auto& choice : mapSetting.choices) addItem(QString::fromUtf8(choice.label));
  describeControl(this, mapSetting.text);
  // A click must not take the focus: the arrow keys keep moving the query.
  setFocusPolicy(Qt::TabFocus);
  connect(this, &QComboBox::activated, this, [this] {
    MapSettings settings;
    takeSetting(mapSetting, settings, this);
    Q_EMIT chosen(settings.map);
  });
}

void MapChoice::setMap(ShownMap map, const std::vector<ShownMap>& maps, const QString& obstacle) {
  auto& items = dynamic_cast<QStandardItemModel&>(*model());
  for (int i = 0; i < count(); ++i) {
    const ShownMap one = mapSetting.choices[static_cast<std::size_t>(i)].value;
    items.item(i)->setEnabled(std::find(maps.begin(), maps.end(), one) != maps.end());
  }
  showSetting(mapSetting, MapSettings{map}, this);
  setEnabled(obstacle.isEmpty());
  setToolTip(obstacle.isEmpty() ? QString::fromUtf8(mapSetting.text.tip) : obstacle);
}

}  // namespace softscope
