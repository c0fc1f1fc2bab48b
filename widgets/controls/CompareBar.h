#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/settings/Comparison.h"

#include <QtWidgets/QWidget>

class QPushButton;

namespace softscope {

class MapChoice;

/// The controls above a comparison.
class CompareBar : public QWidget {
  Q_OBJECT

 public:
  explicit CompareBar(QWidget* parent = nullptr);

  void setComparison(const Comparison& comparison);
  MapChoice& map() { return *map_; }
  /// Differences need two models.
  void setModels(int count);

 Q_SIGNALS:
  void comparisonChosen(const softscope::Comparison& comparison);
  void modelWanted();
  /// The current model once more, under another mechanism.
  void mechanismWanted(const QString& mechanism);

 public:
  /// What mechanismWanted() may ask for. Without any the offer stands still and says why.
  void setMechanisms(const QStringList& mechanisms);

 private:
  QPushButton* add_;
  QPushButton* mechanism_;
  MapChoice* map_;
  SettingControls<Comparison> controls_;
  QStringList mechanisms_;
};

}  // namespace softscope
