#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QString>

#include <optional>
#include <vector>

class QMimeData;

namespace softscope {

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

}  // namespace softscope
