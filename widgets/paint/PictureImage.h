#pragma once

#include "core/image/PreparedPicture.h"

#include <QtCore/QRect>
#include <QtCore/QRectF>
#include <QtCore/QSize>
#include <QtGui/QImage>

#include <array>
#include <map>
#include <memory>
#include <tuple>

namespace softscope {

/// Returns a picture as a QImage; null for a null or empty one. A picture of more than 16
/// megapixels is not copied: the image keeps the picture alive instead.
QImage pictureImage(std::shared_ptr<const Picture> picture);

/// Scales a part of an image of pictureImage() smoothly to `size`. If the image has more than 16
/// megapixels and is reduced by a factor of four or more, no copy at full resolution is made.
QImage scaledPart(const QImage& image, QRect part, QSize size);

/// The part of a picture that the network saw, scaled to any size it is drawn at. Scaled copies are
/// kept, since all panels of a grid need the same one.
class CroppedPicture {
 public:
  CroppedPicture() = default;
  CroppedPicture(QImage picture, const PictureRegion& region);

  bool isNull() const { return picture_.isNull(); }
  /// Returns width over height; 1 without a picture.
  double aspect() const;
  /// Returns the part in colour. `visible` is the part wanted, in fractions of what the network
  /// saw.
  const QImage& colored(QSize pixels, const QRectF& visible = {0, 0, 1, 1}) const;
  /// Returns the part in grey, so that the colours of a heat map drawn over it can be read.
  const QImage& grey(QSize pixels, const QRectF& visible = {0, 0, 1, 1}) const;

 private:
  /// Width and height in pixels, then the position and size of the visible part.
  using Key = std::array<double, 6>;

  static Key keyOf(QSize pixels, const QRectF& visible);
  QImage scaled(QSize pixels, const QRectF& visible) const;

  QImage picture_;
  PictureRegion region_{0, 0, 1, 1};
  mutable std::map<Key, QImage> colored_;
  mutable std::map<Key, QImage> grey_;
};

/// Keeps the parts of pictures that networks saw, so that each is cut out and scaled once.
class CroppedPictures {
 public:
  /// Returns a part of a picture; null without a picture.
  std::shared_ptr<const CroppedPicture> of(const std::shared_ptr<const Picture>& picture,
                                           const PictureRegion& region);
  void clear() { parts_.clear(); }

 private:
  using Key = std::tuple<std::shared_ptr<const Picture>, double, double, double, double>;

  std::map<Key, std::shared_ptr<const CroppedPicture>> parts_;
};

}  // namespace softscope
