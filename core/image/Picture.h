#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// An 8-bit RGB picture, row-major, three bytes a pixel.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  std::string path;
  /// A plain sheet in place of the picture that a recording lacks.
  bool isSheet = false;
};

enum class ExifOrientation {
  Apply,   ///< turn the picture upright, for display and analysis
  Ignore,  ///< the pixels as they are stored, which published evaluation pipelines take
};

/// Decodes JPEG, PNG, WebP, TIFF and BMP. Grey, alpha (dropped), 16 bit and CMYK become 8-bit RGB
/// as Pillow's convert("RGB") makes them; 16-bit grey is scaled, where Pillow would clip it to
/// white. The orientation may stand in EXIF (JPEG, PNG, WebP) or in TIFF's own tag. Throws
/// PictureError for what is missing, empty, truncated, damaged, not a picture, animated, or larger
/// than 100 megapixels. A whole file whose compressed pixels were altered can pass unnoticed.
Picture readPicture(const std::string& path, ExifOrientation orientation = ExifOrientation::Apply);

/// Decodes a picture file whose bytes are in memory, as readPicture() does; `name` stands in error
/// messages. Throws PictureError.
Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      ExifOrientation orientation = ExifOrientation::Apply);

}  // namespace softscope
