#pragma once

#include "app/window/settings/WindowSettings.h"
#include "core/model/ModelRequest.h"
#include "widgets/pages/LibraryPage.h"

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>

#include <optional>
#include <vector>

class QMimeData;
class QWidget;

namespace softscope {

class OpenSeries;
class WindowActions;
class Workspace;

/// Something dropped on the window or pasted into it.
struct OfferedFile {
  /// Vectors are .npy files, which patches' tokens are compared with.
  enum class Kind { Picture, Model, Workspace, Survey, Vectors, PictureBytes };

  Kind kind = Kind::Picture;
  QString path;
  /// An encoded picture that is not a file.
  QByteArray bytes;
};

/// True for checkpoints and recordings, which are recognised by their extensions or by being
/// folders; all other files count as pictures.
bool isCheckpointName(const QString& path);

/// Returns the files that can be opened in a drop or on the clipboard; empty if there are none.
std::vector<OfferedFile> offeredFiles(const QMimeData& data);

/// Everything that comes into the window: dialogs, recent files, drops and the clipboard.
class FileExchange : public QObject {
  Q_OBJECT

 public:
  /// Keeps its lists of recent files in `settings`.
  FileExchange(QWidget& window, Workspace& workspace, WindowActions& actions,
               WindowSettings& settings, OpenSeries& series);

  void openPictureDialog();
  void openModelDialog();
  /// Asks for a file of names for the classes of the model whose index is `model`.
  void nameClassesDialog(int model);
  /// Asks for a folder whose checkpoints are steps of a training.
  void openSeriesDialog();
  void openBesideDialog();
  /// Opens SOFT and SOFT++ of the box side by side, in addition to what is open; a model of the
  /// pair that is open already is not opened again.
  void openPair();
  /// Sets the source of the models in the box; may be empty.
  void setLibrary(LibraryPage::Source library);
  void openModelAt(const QString& path);
  void openBesideAt(const QString& path);
  void paste();
  /// Opens dropped data.
  void open(const QMimeData& data);
  static bool canOpen(const QMimeData& data);

  void rememberPicture(const QString& path);
  void rememberModel(const QString& path);

 Q_SIGNALS:
  /// `said` is a message to read in passing; `failed` reports an error.
  void said(const QString& message);
  void failed(const QString& message);
  /// A `.softscope` file was dropped or pasted.
  void workspaceOffered(const QString& path);
  /// A `.survey` file was dropped or pasted.
  void surveyOffered(const QString& path);

 private:
  /// Says how to open a file that is no model by its name, and returns true; false for all others.
  bool refusesOtherKind(const QString& path);
  /// Opens the series that a folder or a name with wildcards stands for; false if it stands for
  /// none.
  bool openSeries(const QString& path);
  ModelRequest requestOf(const QString& path) const;
  void fillRecentMenus();

  QWidget& window_;
  Workspace& workspace_;
  WindowActions& actions_;
  WindowSettings& settings_;
  LibraryPage::Source library_;
  OpenSeries& series_;
};

}  // namespace softscope
