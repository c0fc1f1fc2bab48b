#include "widgets/paint/PictureImage.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace softscope {
namespace {

// The number of sizes in use at a time: the grid's panels, the picture beside them, a figure.
constexpr std::size_t keptSizes = 4;

template <typename Key, typename Make>
const QImage& kept(std::map<Key, QImage>& images, const Key& key, Make make) {
  if (const auto found = images.find(key); found != images.end()) return found->second;
  if (images.size() >= keptSizes) images.clear();
  return images.emplace(key, make()).first->second;
}

// Larger pictures are not copied: the copy would take a third more memory than the picture.
constexpr qsizetype mostCopiedPixels = 16'000'000;
// With blocks of this side, 100 megapixels are reduced to 2 MB.
constexpr int largestBlock = 16;

bool isView(const QImage& image) {
  return image.format() == QImage::Format_RGB888;
}

/// Returns the mean of each block of `side` x `side` pixels of `part`, whose width and height are
/// multiples of `side`.
QImage blockMeans(const QImage& image, const QRect& part, int side) {
  QImage means(QSize(part.width() / side, part.height() / side), QImage::Format_RGB32);
  std::vector<quint64> sums(static_cast<std::size_t>(means.width()) * 3);
  const auto count = static_cast<quint64>(side) * static_cast<quint64>(side);
  for (int row = 0; row < means.height(); ++row) {
    std::fill(sums.begin(), sums.end(), 0);
    for (int y = 0; y < side; ++y) {
      const uchar* pixel = image.constScanLine(part.top() + row * side + y) + 3 * part.left();
      for (std::size_t sum = 0; sum < sums.size(); sum += 3) {
        for (int x = 0; x < side; ++x, pixel += 3) {
          for (std::size_t color = 0; color < 3; ++color) sums[sum + color] += pixel[color];
        }
      }
    }
    auto* line = reinterpret_cast<QRgb*>(means.scanLine(row));
    const auto mean = [&](std::size_t sum) {
      return static_cast<int>((sums[sum] + count / 2) / count);
    };
    for (std::size_t sum = 0; sum < sums.size(); sum += 3) {
      *line++ = qRgb(mean(sum), mean(sum + 1), mean(sum + 2));
    }
  }
  return means;
}

}  // namespace

QImage pictureImage(std::shared_ptr<const Picture> picture) {
  if (!picture || picture->width <= 0 || picture->height <= 0) return {};
  const uchar* pixels = picture->rgb.data();
  const QSize size(picture->width, picture->height);
  const qsizetype stride = static_cast<qsizetype>(size.width()) * 3;
  if (stride / 3 * size.height() <= mostCopiedPixels) {
    return QImage(pixels, size.width(), size.height(), stride, QImage::Format_RGB888)
        .convertToFormat(QImage::Format_RGB32);
  }
  using Held = std::shared_ptr<const Picture>;
  return QImage(
      pixels, size.width(), size.height(), stride, QImage::Format_RGB888,
      [](void* held) { delete static_cast<Held*>(held); }, new Held(std::move(picture)));
}

QImage scaledPart(const QImage& image, QRect part, QSize size) {
  const int side = std::min(
      {part.width() / (2 * size.width()), part.height() / (2 * size.height()), largestBlock});
  QImage wanted;
  if (isView(image) && side >= 2) {
    // The remainder at the right and the bottom is smaller than a block, i.e. half a pixel of the
    // result.
    part.setSize({part.width() - part.width() % side, part.height() - part.height() % side});
    wanted = blockMeans(image, part, side);
  } else {
    wanted = image.copy(part);
  }
  return wanted.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
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
  // Takes whole pixels of the picture, plus a margin around the wanted part, so that its edges are
  // placed exactly and coloured by the pixels on both sides.
  const QRect around =
      wanted.adjusted(-1 - 1 / horizontal, -1 - 1 / vertical, 1 + 1 / horizontal, 1 + 1 / vertical)
          .toAlignedRect()
          .intersected(picture_.rect());
  const QSize size(std::max(1, int(std::lround(around.width() * horizontal))),
                   std::max(1, int(std::lround(around.height() * vertical))));
  const QPoint corner(int(std::lround((wanted.x() - around.x()) * horizontal)),
                      int(std::lround((wanted.y() - around.y()) * vertical)));
  return scaledPart(picture_, around, size).copy(QRect(corner, pixels));
}

std::shared_ptr<const CroppedPicture> CroppedPictures::of(
    const std::shared_ptr<const Picture>& picture, const PictureRegion& region) {
  if (!picture) return nullptr;
  auto& part = parts_[{picture, region.x, region.y, region.width, region.height}];
  if (!part) part = std::make_shared<const CroppedPicture>(pictureImage(picture), region);
  return part;
}

}  // namespace softscope
