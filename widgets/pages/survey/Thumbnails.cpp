#include "widgets/pages/survey/Thumbnails.h"

#include "core/Error.h"
#include "core/image/Picture.h"
#include "widgets/paint/PictureImage.h"

#include <QtCore/QMetaObject>

#include <algorithm>

namespace softscope {
namespace {

QImage thumbnailOf(const QString& path) {
  try {
    return pictureImage(readPicture(path.toStdString()))
        .scaled(Thumbnails::side, Thumbnails::side, Qt::KeepAspectRatio, Qt::SmoothTransformation);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Thumbnails::Thumbnails(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

Thumbnails::~Thumbnails() {
  pool_.clear();
  pool_.waitForDone();
}

QImage Thumbnails::get(const QString& path) {
  const auto known = images_.constFind(path);
  if (known != images_.constEnd()) return *known;
  images_.insert(path, {});
  pool_.start([this, path] {
    const QImage image = thumbnailOf(path);
    // Waited for by the destructor, so that this is there.
    QMetaObject::invokeMethod(this, [this, path, image] { take(path, image); });
  });
  return {};
}

bool Thumbnails::failed(const QString& path) const {
  return done_.contains(path) && images_.value(path).isNull();
}

void Thumbnails::forgetRequests() {
  pool_.clear();
  for (auto image = images_.begin(); image != images_.end();) {
    image = done_.contains(image.key()) ? std::next(image) : images_.erase(image);
  }
}

void Thumbnails::take(const QString& path, const QImage& image) {
  if (!done_.contains(path)) kept_.push_back(path);
  images_.insert(path, image);
  done_.insert(path, true);
  forgetOldest();
  Q_EMIT ready(path);
}

void Thumbnails::setMemory(qint64 bytes) {
  constexpr qint64 bytesOfOne = qint64{4} * side * side;
  most_ = static_cast<std::size_t>(std::max(qint64{1}, bytes / bytesOfOne));
  forgetOldest();
}

void Thumbnails::forgetOldest() {
  while (kept_.size() > most_) {
    images_.remove(kept_.front());
    done_.remove(kept_.front());
    kept_.pop_front();
  }
}

}  // namespace softscope
