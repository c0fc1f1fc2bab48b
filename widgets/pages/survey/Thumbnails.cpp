#include "widgets/pages/survey/Thumbnails.h"

#include "core/image/Picture.h"
#include "widgets/paint/PictureImage.h"

#include <algorithm>
#include <exception>
#include <string>

namespace softscope {
namespace {

QImage thumbnailOf(const QString& path, const PictureReading& reading) {
  try {
    const QImage image =
        pictureImage(std::make_shared<const Picture>(readPicture(path.toStdString(), reading)));
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

Thumbnails::Key Thumbnails::keyOf(const QString& path, const PictureReading& reading) {
  QString options;
  for (const std::string& option : readingOptions(reading)) {
    options += QString::fromStdString(option) + QLatin1Char(' ');
  }
  return {path, options};
}

QImage Thumbnails::get(const QString& path, const PictureReading& reading) {
  const Key key = keyOf(path, reading);
  const auto known = images_.constFind(key);
  if (known != images_.constEnd()) return *known;
  images_.insert(key, {});
  wanted_.leave([this, key, reading] {
    decoded_.leave([this, key, image = thumbnailOf(key.first, reading)] { take(key, image); });
  });
  if (!thread_.isRunning()) thread_.start();
  return {};
}

bool Thumbnails::failed(const QString& path, const PictureReading& reading) const {
  const Key key = keyOf(path, reading);
  return done_.contains(key) && images_.value(key).isNull();
}

void Thumbnails::forgetRequests() {
  wanted_.forget();
  for (auto image = images_.begin(); image != images_.end();) {
    image = done_.contains(image.key()) ? std::next(image) : images_.erase(image);
  }
}

void Thumbnails::take(const Key& key, const QImage& image) {
  if (!done_.contains(key)) kept_.push_back(key);
  images_.insert(key, image);
  done_.insert(key, true);
  forgetOldest();
  Q_EMIT ready(key.first);
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
