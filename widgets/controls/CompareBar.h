#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/settings/Comparison.h"

#include <QtWidgets/QWidget>

class QPushButton;

namespace softscope {

class ClassChoice;
class DirectionSwitch;
class MapChoice;

/// The controls above a comparison.
class CompareBar : public QWidget {
  Q_OBJECT

 public:
  explicit CompareBar(QWidget* parent = nullptr);

  void setComparison(const Comparison& comparison);
  MapChoice& map() { return *map_; }
  ClassChoice& classes() { return *classes_; }
  DirectionSwitch& direction() { return *direction_; }
  /// Tells the bar how many rows are compared; differences need two.
  void setRows(int count);
  /// Tells the bar how many collected heads are shown. Choices among layers and heads are hidden if
  /// there are any, because they have no effect on them.
  void setCollected(int count);

 Q_SIGNALS:
  void comparisonChosen(const softscope::Comparison& comparison);
  /// The user asked for another model; a list of them can stand at that place on the screen.
  void modelWanted(const QPoint& globalPlace);
  /// The user wants the current model opened once more, under another mechanism.
  void mechanismWanted(const QString& mechanism);
  /// The user asked to take all collected heads out.
  void takeOutWanted();

 public:
  /// Sets the mechanisms that mechanismWanted() may ask for. If there are none, the button is
  /// disabled and says why.
  void setMechanisms(const QStringList& mechanisms);

 private:
  QPushButton* add_;
  QPushButton* mechanism_;
  QPushButton* takeOut_;
  MapChoice* map_;
  ClassChoice* classes_;
  DirectionSwitch* direction_;
  SettingControls<Comparison> controls_;
  QStringList mechanisms_;
};

}  // namespace softscope
