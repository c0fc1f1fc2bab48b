#pragma once

#include "widgets/settings/ViewSettings.h"

#include <QtCore/QObject>

#include <optional>

class QActionGroup;

namespace softscope {

/// The window's colours: light, dark, or as the system sets them.
class ThemeChoice : public QObject {
  Q_OBJECT

 public:
  /// The actions' data is empty for the system's theme, or a ViewSettings::Theme.
  explicit ThemeChoice(QActionGroup& actions, QObject* parent = nullptr);

  /// Chooses a theme; an empty one follows the system.
  void choose(std::optional<ViewSettings::Theme> theme);

 Q_SIGNALS:
  /// The user chose one in the menu, and it was applied.
  void chosen(std::optional<softscope::ViewSettings::Theme> theme);

 private:
  QActionGroup& actions_;
  ViewSettings::Theme systemTheme_;
};

}  // namespace softscope
