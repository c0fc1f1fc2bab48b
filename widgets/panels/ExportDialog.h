#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/panels/ExportFrame.h"
#include "widgets/settings/FigureSettings.h"

class QComboBox;

namespace softscope {

/// Shows a figure as it will be written, next to all settings of its appearance.
class ExportDialog : public ExportFrame {
  Q_OBJECT

 public:
  ExportDialog(PrintableFigure figure, const FigureSettings& settings, const QString& path,
               QWidget* parent = nullptr);

  const FigureSettings& settings() const { return settings_; }

 Q_SIGNALS:
  void settingsChosen(const FigureSettings& settings);
  void saveAsked(const QString& path, const FigureSettings& settings);
  void copyAsked(const FigureSettings& settings);
  /// The user wants the command line that writes the same file.
  void copyCommandAsked(const QString& path, const FigureSettings& settings);

 protected:
  void askToSave() override { Q_EMIT saveAsked(path(), settings_); }
  void askToCopyCommand() override { Q_EMIT copyCommandAsked(path(), settings_); }

 private:
  QWidget* makeSettings();
  void connectControls();
  void changed();
  void showSettings();
  void showPreview();

  FigureSettings settings_;
  QComboBox* preset_ = nullptr;
  SettingControls<FigureSettings> controls_;
};

}  // namespace softscope
