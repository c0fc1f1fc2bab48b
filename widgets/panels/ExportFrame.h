#pragma once

#include "widgets/figure/FigureFile.h"
#include "widgets/panels/FileRow.h"

#include <QtCore/QString>
#include <QtWidgets/QDialog>

class QFormLayout;
class QLabel;
class QPushButton;

namespace softscope {

class FigurePreview;

/// A dialog that previews a figure next to its settings, above a message, the file and buttons. It
/// only asks for actions; its owner carries them out and closes it when done.
class ExportFrame : public QDialog {
  Q_OBJECT

 public:
  /// Returns the absolute path; a name without a folder stands for a file beside the suggested one.
  QString path() const { return file_->path(); }
  /// Shows a message below the preview, about a failure or a success.
  void showMessage(const QString& message);

 protected:
  /// The parts that differ between dialogs.
  struct Parts {
    /// Stands below the preview; null for nothing.
    QWidget* belowPreview = nullptr;
    QWidget* settings = nullptr;
    /// The name of the settings for screen readers.
    QString settingsName;
    /// A button for the clipboard; null for none.
    QPushButton* copy = nullptr;
    /// The text of the button that writes the file.
    QString save;
    int height = 0;
  };

  /// Takes ownership of `file`.
  ExportFrame(const QString& title, FileRow* file, PrintableFigure figure, QWidget* parent);

  /// Arranges all parts in the dialog, once.
  void arrange(const Parts& parts);
  /// Makes a button that does not respond to the Enter key.
  QPushButton* makeButton(const QString& text, const QString& tip = {});
  /// Makes the form of the settings in `panel`.
  static QFormLayout* makeForm(QWidget* panel);

  /// Asks the owner to write the file; the user has agreed to replace an existing one.
  virtual void askToSave() = 0;
  /// Asks the owner to copy the command line that writes the same file.
  virtual void askToCopyCommand() = 0;

  FileRow* file_;
  FigurePreview* preview_ = nullptr;
  QPushButton* save_ = nullptr;

 private:
  QLayout* makeButtons(const Parts& parts);

  QLabel* message_ = nullptr;
};

}  // namespace softscope
