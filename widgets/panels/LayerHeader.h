#pragma once

#include "widgets/settings/ViewSettings.h"

#include <QtWidgets/QWidget>

class QBoxLayout;
class QGridLayout;
class QToolButton;

namespace softscope {

class ClassChoice;
class DirectionSwitch;
class ElidedLabel;
class MapChoice;

/// The header above the heads: the layer and its description, the question asked of it, the choice
/// of its map, and the switch between its two directions.
class LayerHeader : public QWidget {
  Q_OBJECT

 public:
  explicit LayerHeader(QWidget* parent = nullptr);

  void setTexts(const QString& layer, const QString& about, const QString& question);
  void setDirection(Direction direction);
  MapChoice& map() { return *map_; }
  ClassChoice& classes() { return *classes_; }
  void setSteps(bool toPrevious, bool toNext);
  /// Set to true while a head is shown alone, so that a way back is offered.
  void setOneHead(bool one);

 Q_SIGNALS:
  void layerStepped(int steps);
  void allHeadsWanted();
  void directionChosen(softscope::Direction direction);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QToolButton* stepButton(int steps, const QString& name, const char* action);
  void drawIcons();
  void arrangeSwitch();

  ElidedLabel* layer_;
  ElidedLabel* about_;
  ElidedLabel* question_;
  QToolButton* previous_;
  QToolButton* next_;
  QToolButton* allHeads_;
  MapChoice* map_;
  ClassChoice* classes_;
  /// Holds the choice of a map and the two directions, one above the other if space is narrow.
  QWidget* switch_;
  DirectionSwitch* halves_;
  QBoxLayout* choices_;
  QGridLayout* grid_;
  bool switchBelow_ = false;
};

}  // namespace softscope
