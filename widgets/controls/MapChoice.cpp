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

void MapChoice::setMap(ShownMap map, const std::vector<MissingMap>& missing,
                       const QString& obstacle) {
  auto& items = dynamic_cast<QStandardItemModel&>(*model());
  for (int i = 0; i < count(); ++i) {
    const ShownMap one = mapSetting.choices[static_cast<std::size_t>(i)].value;
    const auto lacks = std::ranges::find(missing, one, &MissingMap::map);
    items.item(i)->setEnabled(lacks == missing.end());
    items.item(i)->setToolTip(lacks == missing.end() ? QString()
                                                     : QString::fromStdString(lacks->reason));
  }
  showSetting(mapSetting, MapSettings{map}, this);
  setEnabled(obstacle.isEmpty());
  setToolTip(obstacle.isEmpty() ? QString::fromUtf8(mapSetting.text.tip) : obstacle);
}

}  // namespace softscope
