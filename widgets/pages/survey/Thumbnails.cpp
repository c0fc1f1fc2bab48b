#include "widgets/pages/survey/Thumbnails.h"

#include "core/image/Picture.h"
#include "widgets/paint/PictureImage.h"

#include <algorithm>
#include <exception>

namespace softscope {
namespace {

QImage thumbnailOf(const QString& path) {
  try {
    const QImage image =
        pictureImage(std::make_shared<const Picture>(readPicture(path.toStdString())));
    const QSize size = image.size().scaled(Thumbnails::side, Thumbnails::side, Qt::KeepAspectRatio);
    return scaledPart(image, image.rect(), size.expandedTo({1, 1}));
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

Thumbnails::Thumbnails(QObject* parent) : QObject(parent) {
  wanted_.moveToThread(&thread_);
}

Thumbnails::~Thumbnails() {
  wanted_.forget();
  thread_.quit();
  thread_.wait();
}

QImage Thumbnails::get(const QString& path) {
  const auto known = images_.constFind(path);
  if (known != images_.constEnd()) return *known;
  images_.insert(path, {});
  wanted_.leave([this, path] {
    decoded_.leave([this, path, image = thumbnailOf(path)] { take(path, image); });
  });
  if (!thread_.isRunning()) thread_.start();
  return {};
}

bool Thumbnails::failed(const QString& path) const {
  return done_.contains(path) && images_.value(path).isNull();
}

void Thumbnails::forgetRequests() {
  wanted_.forget();
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
