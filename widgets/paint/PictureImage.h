#pragma once

#include "core/image/PreparedPicture.h"

#include <QtCore/QRect>
#include <QtCore/QRectF>
#include <QtCore/QSize>
#include <QtGui/QImage>

#include <array>
#include <map>
#include <memory>

namespace softscope {

/// A picture in Qt's form; null for none and for an empty one. A picture of more than 16 megapixels
/// is not copied: its image keeps hold of it.
QImage pictureImage(std::shared_ptr<const Picture> picture);

/// A part of an image of pictureImage(), scaled smoothly to `size`. Of what is reduced by two or
/// more nothing is copied at its own size, if the image is of more than 16 megapixels.
QImage scaledPart(const QImage& image, QRect part, QSize size);

/// The part of a picture that the network saw, scaled to whatever size it is drawn at. Scaled
/// copies are kept, since all panels of a grid ask for the same one.
class CroppedPicture {
 public:
  CroppedPicture() = default;
  CroppedPicture(QImage picture, const PictureRegion& region);

  bool isNull() const { return picture_.isNull(); }
  /// Width over height; 1 without a picture.
  double aspect() const;
  /// `visible` is the part wanted, in fractions of what the network saw.
  const QImage& colored(QSize pixels, const QRectF& visible = {0, 0, 1, 1}) const;
  /// Without its colours, so that those of a heat map over it can be read.
  const QImage& grey(QSize pixels, const QRectF& visible = {0, 0, 1, 1}) const;

 private:
  /// Width and height in pixels, and the visible part's place and size.
  using Key = std::array<double, 6>;

  static Key keyOf(QSize pixels, const QRectF& visible);
  QImage scaled(QSize pixels, const QRectF& visible) const;

  QImage picture_;
  PictureRegion region_{0, 0, 1, 1};
  mutable std::map<Key, QImage> colored_;
  mutable std::map<Key, QImage> grey_;
};

}  // namespace softscope
