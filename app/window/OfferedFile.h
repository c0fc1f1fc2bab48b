#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QString>

#include <optional>
#include <vector>

class QMimeData;

namespace softscope {

/// Something dropped on the window or pasted into it.
struct OfferedFile {
  enum class Kind { Picture, Model, Workspace, Survey, PictureBytes };

  Kind kind = Kind::Picture;
  QString path;
  /// An encoded picture that is no file.
  QByteArray bytes;
};

/// Checkpoints and recordings are known by their endings, or by being folders; every other file is
/// taken for a picture.
bool isCheckpointName(const QString& path);

/// What there is to open in a drop or on the clipboard; empty if nothing.
std::vector<OfferedFile> offeredFiles(const QMimeData& data);

}  // namespace softscope
