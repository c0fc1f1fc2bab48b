#pragma once

#include <QtCore/QString>
#include <QtWidgets/QWidget>

class QLineEdit;

namespace softscope {

/// Asks for the file of an export, by a name or by browsing.
class FileRow : public QWidget {
  Q_OBJECT

 public:
  /// Begins with an absolute path. `tip` says what the name's ending means, `title` and `filters`
  /// are those of the dialog that browses.
  FileRow(const QString& path, const QString& tip, const QString& title, const QString& filters,
          QWidget* parent = nullptr);

  /// Returns the absolute path; a name without a folder stands for a file beside the first one.
  QString path() const;
  /// Returns true if the file does not exist yet, or if the user agrees to replace it.
  bool mayWrite();

 Q_SIGNALS:
  void changed();

 private:
  void browse(const QString& title, const QString& filters);

  /// The folder of names that are given without one.
  QString folder_;
  QLineEdit* name_;
};

}  // namespace softscope
