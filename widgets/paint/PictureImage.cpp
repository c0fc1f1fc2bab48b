#include "widgets/paint/PictureImage.h"

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

// Sizes in use at one time: the grid's panels, the picture beside them, a figure.
constexpr std::size_t keptSizes = 4;

template <typename Key, typename Make>
const QImage& kept(std::map<Key, QImage>& images, const Key& key, Make make) {
  if (const auto found = images.find(key); found != images.end()) return found->second;
  if (images.size() >= keptSizes) images.clear();
  return images.emplace(key, make()).first->second;
}

}  // namespace

QImage pictureImage(const Picture& picture) {
  if (picture.width <= 0 || picture.height <= 0) return {};
  const QImage view(picture.rgb.data(), picture.width, picture.height,
                    static_cast<qsizetype>(picture.width) * 3, QImage::Format_RGB888);
  return view.convertToFormat(QImage::Format_RGB32);
}

CroppedPicture::CroppedPicture(QImage picture, const PictureRegion& region)
    : picture_(std::move(picture)), region_(region) {}

double CroppedPicture::aspect() const {
  if (isNull() || region_.height <= 0) return 1;
  return region_.width / region_.height;
}

CroppedPicture::Key CroppedPicture::keyOf(QSize pixels, const QRectF& visible) {
  return {double(pixels.width()), double(pixels.height()), visible.x(), visible.y(),
          visible.width(),        visible.height()};
}

const QImage& CroppedPicture::colored(QSize pixels, const QRectF& visible) const {
  return kept(colored_, keyOf(pixels, visible), [&] { return scaled(pixels, visible); });
}

const QImage& CroppedPicture::grey(QSize pixels, const QRectF& visible) const {
  return kept(grey_, keyOf(pixels, visible),
              [&] { return colored(pixels, visible).convertToFormat(QImage::Format_Grayscale8); });
}

QImage CroppedPicture::scaled(QSize pixels, const QRectF& visible) const {
  if (isNull() || pixels.isEmpty() || visible.isEmpty()) return {};
  const QRectF wanted(region_.x + visible.x() * region_.width,
                      region_.y + visible.y() * region_.height, visible.width() * region_.width,
                      visible.height() * region_.height);
  const double horizontal = pixels.width() / wanted.width();
  const double vertical = pixels.height() / wanted.height();
  // Whole pixels of the picture, and some more around what is wanted: its edges come out where they
  // are to a pixel, coloured by both sides.
  const QRect around =
      wanted.adjusted(-1 - 1 / horizontal, -1 - 1 / vertical, 1 + 1 / horizontal, 1 + 1 / vertical)
          .toAlignedRect()
          .intersected(picture_.rect());
  const QSize size(std::max(1, int(std::lround(around.width() * horizontal))),
                   std::max(1, int(std::lround(around.height() * vertical))));
  const QPoint corner(int(std::lround((wanted.x() - around.x()) * horizontal)),
                      int(std::lround((wanted.y() - around.y()) * vertical)));
  return picture_.copy(around)
      .scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
      .copy(QRect(corner, pixels));
}

}  // namespace softscope
