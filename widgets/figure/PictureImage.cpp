#include "widgets/figure/PictureImage.h"

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

// Sizes in use at one time: the grid's panels, the picture beside them, a figure.
constexpr std::size_t keptSizes = 4;

template <typename Make>
const QImage& kept(std::map<std::pair<int, int>, QImage>& images, QSize pixels, Make make) {
  const std::pair<int, int> key(pixels.width(), pixels.height());
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

const QImage& CroppedPicture::colored(QSize pixels) const {
  return kept(colored_, pixels, [&] { return scaled(pixels); });
}

const QImage& CroppedPicture::grey(QSize pixels) const {
  return kept(grey_, pixels,
              [&] { return colored(pixels).convertToFormat(QImage::Format_Grayscale8); });
}

QImage CroppedPicture::scaled(QSize pixels) const {
  if (isNull() || pixels.isEmpty()) return {};
  const double horizontal = pixels.width() / region_.width;
  const double vertical = pixels.height() / region_.height;
  // Scaling the whole picture, not the crop, keeps the crop's edges where they are to a pixel.
  const QSize whole(std::max(1, int(std::lround(picture_.width() * horizontal))),
                    std::max(1, int(std::lround(picture_.height() * vertical))));
  const QPoint corner(int(std::lround(region_.x * horizontal)),
                      int(std::lround(region_.y * vertical)));
  return picture_.scaled(whole, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
      .copy(QRect(corner, pixels));
}

}  // namespace softscope
