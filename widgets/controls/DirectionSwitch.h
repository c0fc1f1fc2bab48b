#pragma once

#include "widgets/settings/ViewSettings.h"

#include <QtWidgets/QWidget>

class QButtonGroup;

namespace softscope {

/// A switch with two halves: what the patch attends to, its row, or what attends to it, its column.
class DirectionSwitch : public QWidget {
  Q_OBJECT

 public:
  explicit DirectionSwitch(QWidget* parent = nullptr);

  void setDirection(Direction direction);

 Q_SIGNALS:
  void chosen(softscope::Direction direction);

 private:
  void addHalf(Direction direction, const QString& text, const QString& tip);

  QButtonGroup* halves_;
};

}  // namespace softscope
