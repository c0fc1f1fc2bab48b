#include "widgets/paint/PictureImage.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace softscope {
namespace {

std::shared_ptr<Picture> gradient(int width, int height) {
  auto picture = std::make_shared<Picture>();
  picture->width = width;
  picture->height = height;
  picture->rgb.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture->rgb.push_back(static_cast<std::uint8_t>(255LL * x / width));
      picture->rgb.push_back(static_cast<std::uint8_t>(255LL * y / height));
      picture->rgb.push_back(static_cast<std::uint8_t>((x + y) % 2 * 200));
    }
  }
  return picture;
}

int largestDifference(const QImage& a, const QImage& b) {
  int largest = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const QColor one = a.pixelColor(x, y);
      const QColor other = b.pixelColor(x, y);
      largest =
          std::max({largest, std::abs(one.red() - other.red()),
                    std::abs(one.green() - other.green()), std::abs(one.blue() - other.blue())});
    }
  }
  return largest;
}

TEST(PictureImage, OfALargePictureIsNoCopyAndKeepsIt) {
  std::shared_ptr<const Picture> picture = gradient(4001, 4000);
  const std::weak_ptr<const Picture> watched = picture;
  QImage image = pictureImage(picture);
  EXPECT_EQ(image.constBits(), picture->rgb.data());
  picture.reset();
  EXPECT_FALSE(watched.expired());
  image = {};
  EXPECT_TRUE(watched.expired());
}

TEST(PictureImage, OfNoneIsNull) {
  EXPECT_TRUE(pictureImage(nullptr).isNull());
  EXPECT_TRUE(pictureImage(std::make_shared<Picture>()).isNull());
}

TEST(PictureImage, ALargePictureLooksLikeItsCopyScaled) {
  const auto picture = gradient(5003, 3301);
  const QImage large = pictureImage(picture);
  ASSERT_EQ(large.format(), QImage::Format_RGB888);
  const QImage copy = large.convertToFormat(QImage::Format_RGB32);
  const QRect parts[] = {large.rect(), QRect(17, 40, 2500, 1801), QRect(4900, 3200, 103, 101)};
  for (const QRect& part : parts) {
    for (const QSize size : {QSize(224, 160), QSize(16, 12), QSize(400, 7), QSize(1300, 900)}) {
      const QImage scaled = scaledPart(large, part, size);
      ASSERT_EQ(scaled.size(), size);
      EXPECT_LE(largestDifference(scaled, scaledPart(copy, part, size)), 3)
          << part.width() << " to " << size.width() << " x " << size.height();
    }
  }
}

}  // namespace
}  // namespace softscope
