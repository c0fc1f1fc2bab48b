#pragma once

#include "widgets/ViewSettings.h"

#include <QtWidgets/QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QSlider;

namespace softscope {

/// How heat maps are drawn.
class ViewPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ViewPanel(QWidget* parent = nullptr);

  void setView(const ViewSettings& view, bool includesMean);

 Q_SIGNALS:
  void viewChosen(const softscope::ViewSettings& view);
  void meanChosen(bool includes);

 private:
  void choose();

  ViewSettings view_;
  QComboBox* colors_;
  QComboBox* signedColors_;
  QSlider* opacity_;
  QLabel* opacityText_;
  QComboBox* range_;
  QCheckBox* smooth_;
  QCheckBox* absolute_;
  QCheckBox* mean_;
};

}  // namespace softscope
