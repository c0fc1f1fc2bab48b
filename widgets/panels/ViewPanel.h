#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/settings/OverHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <QtWidgets/QWidget>

class QComboBox;
class QLabel;
class QSlider;

namespace softscope {

/// The controls for how heat maps are drawn.
class ViewPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ViewPanel(QWidget* parent = nullptr);

  void setView(const ViewSettings& view, const OverHeads& overHeads);

 Q_SIGNALS:
  void viewChosen(const softscope::ViewSettings& view);
  void overHeadsChosen(const softscope::OverHeads& overHeads);

 private:
  void choose();

  ViewSettings view_;
  QComboBox* colors_;
  QComboBox* signedColors_;
  QSlider* opacity_;
  QLabel* opacityText_;
  SettingControls<ViewSettings> others_;
  SettingControls<OverHeads> overHeads_;
};

}  // namespace softscope
