#include "widgets/workspace/OpenedPicture.h"

#include "core/files/CheckpointFiles.h"
#include "core/recording/RecordingPreview.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/workspace/Worker.h"

#include <QtCore/QFileInfo>
#include <QtCore/QHashFunctions>

#include <algorithm>
#include <utility>
#include <vector>

namespace softscope {

namespace {

Picture pictureIn(const std::string& file, const PictureReading& reading) {
  return isRecording(file) ? pictureOf(*recordedPictureAt(file), file) : readPicture(file, reading);
}

std::size_t fingerprintOf(const Picture& picture) {
  const std::size_t seed = qHashMulti(0, picture.width, picture.height, picture.isSheet);
  return std::max<std::size_t>(1, qHashBits(picture.rgb.data(), picture.rgb.size(), seed));
}

/// Returns the files that a picture is read from, as they are now but for their content.
FileVersion stampedVersion(const std::string& file) {
  FileVersion version;
  version.files = isRecording(file) ? filesOfModel(file) : std::vector{file};
  version.stamp = stampOf(version.files);
  return version;
}

}  // namespace

OpenedPicture::OpenedPicture(Worker& worker) : worker_(worker) {}

/// Cancels all work on the open picture.
void OpenedPicture::stopRuns() {
  worker_.cancel(Worker::Kind::Inspection);
  worker_.cancel(Worker::Kind::Analysis);
}

void OpenedPicture::open(const QString& path, const PictureReading& reading) {
  read({path, {}, reading});
}

void OpenedPicture::read(const PictureRequest& request) {
  asked_ = request;
  const std::string file = request.path.toStdString();
  worker_.submit(Worker::Kind::Picture, tr("Reading %1").arg(QFileInfo(request.path).fileName()),
                 [this, file, request](const Progress&) -> Worker::Delivery {
                   FileVersion version = stampedVersion(file);
                   auto picture = std::make_shared<const Picture>(pictureIn(file, request.reading));
                   version.fingerprint = fileFingerprint(file);
                   // A picture whose file was replaced meanwhile may be of either content.
                   if (stampOf(version.files) != version.stamp) version.fingerprint.clear();
                   QImage image = pictureImage(picture);
                   const std::size_t fingerprint = fingerprintOf(*picture);
                   return [this, picture, image, fingerprint, version, request] {
                     take(picture, image, {}, fingerprint, version);
                     compare(request);
                   };
                 });
  // Only now, so that the worker is busy all the while.
  stopRuns();
}

void OpenedPicture::compare(const PictureRequest& saved) {
  if (saved.fingerprint.empty() || saved.fingerprint == version_.fingerprint) return;
  const QString name = QFileInfo(saved.path).fileName();
  Q_EMIT fileDiffers(tr("%1 is not the picture it was when this workspace was saved.").arg(name),
                     tr("%1 has other content now. It was opened all the same.").arg(saved.path));
}

void OpenedPicture::decode(const QByteArray& bytes, const QString& name,
                           const PictureReading& reading) {
  asked_ = {name, bytes, reading};
  worker_.submit(
      Worker::Kind::Picture, tr("Reading %1").arg(name),
      [this, bytes, reading, title = name.toStdString()](const Progress&) -> Worker::Delivery {
        auto picture = std::make_shared<const Picture>(
            decodePicture(reinterpret_cast<const std::uint8_t*>(bytes.constData()),
                          static_cast<std::size_t>(bytes.size()), title, reading));
        QImage image = pictureImage(picture);
        const std::size_t fingerprint = fingerprintOf(*picture);
        return [this, picture, image, bytes, fingerprint] {
          take(picture, image, bytes, fingerprint, {});
        };
      });
  stopRuns();
}

void OpenedPicture::openSaved(const PictureRequest& saved, bool isMissing) {
  saved_ = saved;
  if (isMissing) return;
  if (saved.bytes.isEmpty()) {
    read(saved);
  } else {
    decode(saved.bytes, saved.path, saved.reading);
  }
}

void OpenedPicture::setReading(const PictureReading& reading) {
  const bool isDecoded = picture_ && picture_->source.bits > 0;
  if (!isDecoded) return;
  const QString name = QString::fromStdString(picture_->path);
  const std::optional<PictureRequest> last = request();
  const bool isOfThis = last && last->path == name && last->bytes == bytes_;
  if (reading == (isOfThis ? last->reading : picture_->source.reading)) return;
  if (isFile()) {
    open(name, reading);
  } else {
    decode(bytes_, name, reading);
  }
}

std::optional<PictureRequest> OpenedPicture::request() const {
  if (worker_.isBusy(Worker::Kind::Picture)) return asked_;
  if (!picture_) return std::nullopt;
  return PictureRequest{QString::fromStdString(picture_->path), bytes_, picture_->source.reading,
                        version_.fingerprint};
}

void OpenedPicture::show(std::shared_ptr<const Picture> picture) {
  QImage image = pictureImage(picture);
  const std::size_t fingerprint = fingerprintOf(*picture);
  FileVersion version;
  version.files = filesOfModel(picture->path);
  version.stamp = stampOf(version.files);
  take(std::move(picture), std::move(image), {}, fingerprint, std::move(version));
}

void OpenedPicture::close() {
  take({}, {}, {}, 0, {});
}

void OpenedPicture::take(std::shared_ptr<const Picture> picture, QImage image, QByteArray bytes,
                         std::size_t fingerprint, FileVersion version) {
  saved_.reset();
  picture_ = std::move(picture);
  image_ = std::move(image);
  bytes_ = std::move(bytes);
  fingerprint_ = fingerprint;
  version_ = std::move(version);
  // Work that began while this picture was read concerns the previous one. It is stopped only now,
  // since pages may ask again at once.
  stopRuns();
  Q_EMIT changed();
}

}  // namespace softscope
