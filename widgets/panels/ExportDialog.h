#pragma once

#include "widgets/controls/SettingControls.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/views/FigurePreview.h"

#include <QtWidgets/QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace softscope {

/// Shows a figure as it will be written beside everything that can be said about its looks. What is
/// asked for is left to the owner, who closes the dialog when it is done.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  ExportDialog(PrintableFigure figure, const FigureSettings& settings, const QString& path,
               QWidget* parent = nullptr);

  const FigureSettings& settings() const { return settings_; }
  QString path() const;
  /// Something that went wrong, or right, below the preview.
  void showMessage(const QString& message);

 Q_SIGNALS:
  void settingsChosen(const FigureSettings& settings);
  void saveAsked(const QString& path, const FigureSettings& settings);
  void copyAsked(const FigureSettings& settings);
  /// The command line that writes the same file.
  void copyCommandAsked(const QString& path, const FigureSettings& settings);

 private:
  QLayout* makeForm();
  QLayout* makePathRow();
  QLayout* makeButtons();
  void connectControls();
  void changed();
  void showSettings();
  void showPreview();
  void browse();

  FigureSettings settings_;
  FigurePreview* preview_;
  QLabel* message_ = nullptr;
  QComboBox* preset_ = nullptr;
  SettingControls<FigureSettings> controls_;
  QLineEdit* path_ = nullptr;
  QPushButton* save_ = nullptr;
};

}  // namespace softscope
