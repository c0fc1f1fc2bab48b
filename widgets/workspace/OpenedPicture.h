#pragma once

#include "core/image/Picture.h"

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QImage>

#include <memory>

namespace softscope {

class Worker;

/// The picture that all models look at, and how it comes in. One that cannot be read leaves the one
/// before.
class OpenedPicture : public QObject {
  Q_OBJECT

 public:
  explicit OpenedPicture(Worker& worker);

  /// A recording stands for its picture.
  void open(const QString& path, const PictureReading& reading = {});
  /// A picture that is no file, from the clipboard.
  void decode(const QByteArray& bytes, const QString& name, const PictureReading& reading = {});
  /// Reads the picture that is there again, in another way; nothing happens to a recording's.
  void setReading(const PictureReading& reading);
  /// A picture that was read already, with a recording.
  void show(std::shared_ptr<const Picture> picture);
  void close();

  /// Null before there is one.
  const Picture* get() const { return picture_.get(); }
  /// The picture shared, for figures that may outlive it here; null before there is one.
  std::shared_ptr<const Picture> shared() const { return picture_; }
  /// False for a pasted one.
  bool isFile() const { return picture_ && bytes_.isEmpty(); }
  /// Of a picture that is no file.
  const QByteArray& bytes() const { return bytes_; }
  const QImage& image() const { return image_; }

 Q_SIGNALS:
  void changed();

 private:
  void stopRuns();
  void take(std::shared_ptr<const Picture> picture, QImage image, QByteArray bytes);

  Worker& worker_;
  std::shared_ptr<const Picture> picture_;
  QImage image_;
  QByteArray bytes_;
};

}  // namespace softscope
