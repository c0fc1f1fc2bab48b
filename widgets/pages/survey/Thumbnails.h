#pragma once

#include "widgets/workspace/Mailbox.h"

#include <QtCore/QHash>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QThread>
#include <QtGui/QImage>

#include <deque>

namespace softscope {

/// Makes thumbnails of picture files, decoded on a thread of their own, and keeps the latest.
class Thumbnails : public QObject {
  Q_OBJECT

 public:
  static constexpr int side = 96;

  explicit Thumbnails(QObject* parent = nullptr);
  /// Waits for the picture that is being decoded.
  ~Thumbnails() override;

  /// Returns the thumbnail; null after requesting it, or if the picture cannot be read.
  QImage get(const QString& path);
  /// True if decoding was tried and the picture cannot be read.
  bool failed(const QString& path) const;
  /// Drops the requests that have not been served yet.
  void forgetRequests();
  /// Sets how many bytes of the latest thumbnails are kept; at least one is kept in any case.
  void setMemory(qint64 bytes);

 Q_SIGNALS:
  void ready(const QString& path);

 private:
  void take(const QString& path, const QImage& image);
  void forgetOldest();

  /// Thumbnails by path; null if requested but not decoded yet, or if the picture cannot be read.
  QHash<QString, QImage> images_;
  QHash<QString, bool> done_;
  std::deque<QString> kept_;
  std::size_t most_ = 600;

  /// The mailbox of this object's thread; `wanted_` is that of the decoding thread.
  Mailbox decoded_;
  Mailbox wanted_;
  QThread thread_;
};

}  // namespace softscope
