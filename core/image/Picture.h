#pragma once

#include "core/image/PictureReading.h"

#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// Of a file that was read.
  PictureSource source{};
};

/// Decodes JPEG, PNG, WebP, TIFF and BMP. Grey, alpha (dropped) and CMYK become 8-bit RGB as
/// Pillow's convert("RGB") makes them; of 16 bits the upper 8 are kept, in grey too, where Pillow
/// would clip to white, unless the range says otherwise. The orientation may stand in EXIF (JPEG,
/// PNG, WebP), in TIFF's own tag, in what ImageMagick writes into PNG, or in XMP. The picture's
/// `source` says what the file holds besides. Throws PictureError for what is missing, empty,
/// truncated, damaged, not a picture, without the page, or larger than 100 megapixels, and for
/// colours that would come out wrong. A whole file whose compressed pixels were altered can pass
/// unnoticed. Takes three bytes a pixel, twelve where it has 16 bits, alpha to divide by, many
/// scans (progressive JPEG) or must be turned, and three times the file.
Picture readPicture(const std::string& path, const PictureReading& reading = {});

/// Decodes a picture file whose bytes are in memory, as readPicture() does; `name` stands in error
/// messages. Throws PictureError.
Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      const PictureReading& reading = {});

/// Reads the picture at `path`, hands it to `use` and forgets it. Of pictures that take more than
/// 64 MB, one at a time is read and used in the whole program, however many threads ask. Throws
/// what readPicture() and `use` throw.
void usePicture(const std::string& path, const PictureReading& reading,
                const std::function<void(const Picture&)>& use);

}  // namespace softscope
