#pragma once

#include "core/files/FileVersion.h"
#include "core/image/Picture.h"

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QImage>

#include <cstddef>
#include <memory>
#include <optional>

namespace softscope {

class Worker;

/// A source that a picture is read from, and how it is read.
struct PictureRequest {
  /// Path of the file, or the name of a picture that is not a file.
  QString path;
  /// The picture's bytes; empty if it is a file.
  QByteArray bytes;
  PictureReading reading;
  /// The fingerprint that its file is known by in a workspace; empty if it is not known.
  std::string fingerprint = {};
};

/// Holds the picture that all models see, and opens new ones. If a picture cannot be read, the
/// previous one stays.
class OpenedPicture : public QObject {
  Q_OBJECT

 public:
  explicit OpenedPicture(Worker& worker);

  /// Opens a picture's file; for a recording, the picture that it was made on.
  void open(const QString& path, const PictureReading& reading = {});
  /// Opens a picture that is not a file, from the clipboard.
  void decode(const QByteArray& bytes, const QString& name, const PictureReading& reading = {});
  /// Opens the picture of a workspace, unless it is missing.
  void openSaved(const PictureRequest& saved, bool isMissing);
  /// Returns what the picture of the workspace is to be read from, as long as neither it nor
  /// another is open; otherwise nothing.
  const std::optional<PictureRequest>& unopened() const { return saved_; }
  void forgetUnopened() { saved_.reset(); }
  /// Reads the open picture again in another way; does nothing for a recording's picture, nor if
  /// the picture was last asked for in this way.
  void setReading(const PictureReading& reading);
  /// Shows a picture that has already been read, with a recording.
  void show(std::shared_ptr<const Picture> picture);
  void close();

  /// Returns the picture; null if none is open.
  const Picture* get() const { return picture_.get(); }
  /// Returns the picture with shared ownership, for figures that may outlive it here; null if none
  /// is open.
  std::shared_ptr<const Picture> shared() const { return picture_; }
  /// Returns what the picture was read from or, while another is being read, what that one is read
  /// from; nothing if none was opened.
  std::optional<PictureRequest> request() const;
  /// True if the picture is a file, false if it was pasted.
  bool isFile() const { return picture_ && bytes_.isEmpty(); }
  /// Returns the bytes of a picture that is not a file.
  const QByteArray& bytes() const { return bytes_; }
  const QImage& image() const { return image_; }
  /// Returns the file as it was when the picture was read; empty for a picture that is not a file.
  const FileVersion& version() const { return version_; }
  /// Returns a number made of the picture's pixels, equal for equal pictures; 0 if none is open.
  std::size_t fingerprint() const { return fingerprint_; }

 Q_SIGNALS:
  void changed();
  /// The picture of a workspace was opened, but is not what it was when the workspace was saved.
  /// `message` is a sentence, `details` say more.
  void fileDiffers(const QString& message, const QString& details);

 private:
  void stopRuns();
  void read(const PictureRequest& request);
  void take(std::shared_ptr<const Picture> picture, QImage image, QByteArray bytes,
            std::size_t fingerprint, FileVersion version);
  /// Emits fileDiffers() if the workspace was saved with another content of the open file.
  void compare(const PictureRequest& saved);

  Worker& worker_;
  /// The picture asked for last; it may have been read, refused or cancelled since.
  PictureRequest asked_;
  std::shared_ptr<const Picture> picture_;
  QImage image_;
  QByteArray bytes_;
  std::size_t fingerprint_ = 0;
  FileVersion version_;
  /// The picture of the workspace, until it or another is open.
  std::optional<PictureRequest> saved_;
};

}  // namespace softscope
