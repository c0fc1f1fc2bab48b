#pragma once

#include "core/image/PictureReading.h"
#include "widgets/workspace/Mailbox.h"

#include <QtCore/QHash>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QThread>
#include <QtGui/QImage>

#include <deque>
#include <utility>

namespace softscope {

/// Makes thumbnails of picture files, decoded on a thread of their own, and keeps the latest.
class Thumbnails : public QObject {
  Q_OBJECT

 public:
  static constexpr int side = 96;

  explicit Thumbnails(QObject* parent = nullptr);
  /// Waits for the picture that is being decoded.
  ~Thumbnails() override;

  /// Returns the thumbnail of a file that is read like this; null after requesting it, or if the
  /// picture cannot be read.
  QImage get(const QString& path, const PictureReading& reading);
  /// True if decoding was tried and the picture cannot be read.
  bool failed(const QString& path, const PictureReading& reading) const;
  /// Drops the requests that have not been served yet.
  void forgetRequests();
  /// Sets how many bytes of the latest thumbnails are kept; at least one is kept in any case.
  void setMemory(qint64 bytes);

 Q_SIGNALS:
  /// A thumbnail of the file was decoded, however it is read.
  void ready(const QString& path);

 private:
  /// A path, and the options that select how the file is read.
  using Key = std::pair<QString, QString>;

  static Key keyOf(const QString& path, const PictureReading& reading);
  void take(const Key& key, const QImage& image);
  void forgetOldest();

  /// Thumbnails; null if requested but not decoded yet, or if the picture cannot be read.
  QHash<Key, QImage> images_;
  QHash<Key, bool> done_;
  std::deque<Key> kept_;
  std::size_t most_ = 600;

  /// The mailbox of this object's thread; `wanted_` is that of the decoding thread.
  Mailbox decoded_;
  Mailbox wanted_;
  QThread thread_;
};

}  // namespace softscope
