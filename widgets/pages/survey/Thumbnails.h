#pragma once

#include "widgets/workspace/Mailbox.h"

#include <QtCore/QHash>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QThread>
#include <QtGui/QImage>

#include <deque>

namespace softscope {

/// Small copies of picture files, decoded on a thread of their own; the last ones are kept.
class Thumbnails : public QObject {
  Q_OBJECT

 public:
  static constexpr int side = 96;

  explicit Thumbnails(QObject* parent = nullptr);
  /// Waits for the picture that is being decoded.
  ~Thumbnails() override;

  /// The copy, or a null image after asking for it, and for a picture that cannot be read.
  QImage get(const QString& path);
  /// Whether it was tried and cannot be read.
  bool failed(const QString& path) const;
  /// Forgets what was asked for and is not there yet.
  void forgetRequests();
  /// Keeps so many bytes of the last ones, and at least one.
  void setMemory(qint64 bytes);

 Q_SIGNALS:
  void ready(const QString& path);

 private:
  void take(const QString& path, const QImage& image);
  void forgetOldest();

  /// Null where it is asked for; of no size where it cannot be read.
  QHash<QString, QImage> images_;
  QHash<QString, bool> done_;
  std::deque<QString> kept_;
  std::size_t most_ = 600;

  /// On this object's thread, and on the one that decodes.
  Mailbox decoded_;
  Mailbox wanted_;
  QThread thread_;
};

}  // namespace softscope
