#include "app/window/OfferedFile.h"

#include <QtCore/QBuffer>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QImage>

namespace softscope {
namespace {

OfferedFile fileAt(const QString& path) {
  if (path.endsWith(QLatin1String(".softscope"), Qt::CaseInsensitive)) {
    return {OfferedFile::Kind::Workspace, path, {}};
  }
  if (path.endsWith(QLatin1String(".survey"), Qt::CaseInsensitive)) {
    return {OfferedFile::Kind::Survey, path, {}};
  }
  if (path.endsWith(QLatin1String(".npy"), Qt::CaseInsensitive) && !QFileInfo(path).isDir()) {
    return {OfferedFile::Kind::Vectors, path, {}};
  }
  return {isCheckpointName(path) ? OfferedFile::Kind::Model : OfferedFile::Kind::Picture, path, {}};
}

std::optional<OfferedFile> imageIn(const QMimeData& data) {
  const QImage image = qvariant_cast<QImage>(data.imageData());
  if (image.isNull()) return std::nullopt;
  OfferedFile file;
  file.kind = OfferedFile::Kind::PictureBytes;
  QBuffer buffer(&file.bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) return std::nullopt;
  return file;
}

}  // namespace

bool isCheckpointName(const QString& path) {
  // Folders are recordings written by softscope dump.
  if (QFileInfo(path).isDir()) return true;
  for (const char* ending : {".pth", ".pt", ".tar", ".safetensors", ".ckpt", ".bin", ".npz"}) {
    if (path.endsWith(QLatin1String(ending), Qt::CaseInsensitive)) return true;
  }
  return false;
}

std::vector<OfferedFile> offeredFiles(const QMimeData& data) {
  std::vector<OfferedFile> files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files.push_back(fileAt(url.toLocalFile()));
  }
  if (!files.empty()) return files;
  if (data.hasImage()) {
    if (auto image = imageIn(data)) files.push_back(*image);
  } else if (data.hasText() && QFileInfo::exists(data.text().trimmed())) {
    files.push_back(fileAt(data.text().trimmed()));
  }
  return files;
}

}  // namespace softscope
