#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/panels/FileRow.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/views/FigurePreview.h"

#include <QtWidgets/QDialog>

class QComboBox;
class QLabel;
class QPushButton;

namespace softscope {

/// Shows a figure as it will be written, next to all settings of its appearance. The dialog only
/// asks for actions; its owner carries them out and closes it when done.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  ExportDialog(PrintableFigure figure, const FigureSettings& settings, const QString& path,
               QWidget* parent = nullptr);

  const FigureSettings& settings() const { return settings_; }
  /// Returns the absolute path; a name without a folder stands for a file beside the suggested one.
  QString path() const { return file_->path(); }
  /// Shows a message below the preview, about a failure or a success.
  void showMessage(const QString& message);

 Q_SIGNALS:
  void settingsChosen(const FigureSettings& settings);
  void saveAsked(const QString& path, const FigureSettings& settings);
  void copyAsked(const FigureSettings& settings);
  /// The user wants the command line that writes the same file.
  void copyCommandAsked(const QString& path, const FigureSettings& settings);

 private:
  QLayout* makeForm();
  QLayout* makeButtons();
  void connectControls();
  void changed();
  void showSettings();
  void showPreview();

  FigureSettings settings_;
  FileRow* file_;
  FigurePreview* preview_;
  QLabel* message_ = nullptr;
  QComboBox* preset_ = nullptr;
  SettingControls<FigureSettings> controls_;
  QPushButton* save_ = nullptr;
};

}  // namespace softscope
