#pragma once

#include "core/image/PictureReading.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// An 8-bit RGB picture, row-major, with three bytes per pixel.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  std::string path;
  /// True for a plain sheet that stands in for the picture a recording lacks.
  bool isSheet = false;
  /// Description of the file that the picture was read from.
  PictureSource source{};
  /// True if it is drawn of a recording's input, with values that 8 bits cannot hold.
  bool isCut = false;
};

/// Decodes JPEG, PNG, WebP, TIFF and BMP. Grey, alpha (dropped) and CMYK become 8-bit RGB as in
/// Pillow's convert("RGB"). Of 16 bits the upper 8 are kept unless the range says otherwise, also
/// in grey pictures, where Pillow would clip to white. The orientation may come from EXIF (JPEG,
/// PNG, WebP), TIFF's own tag, ImageMagick's text in PNG, or XMP. The picture's `source` describes
/// what else the file holds. Throws PictureError if the file is missing, empty, truncated, damaged,
/// not a picture, lacks the page or has more than 100 megapixels, or if its colours would come out
/// wrong. A complete file whose compressed pixels were altered can pass unnoticed. Takes three
/// times the file's size plus three bytes per pixel, or twelve per pixel if it has 16 bits, alpha
/// to divide by or many scans (progressive JPEG), or must be turned.
Picture readPicture(const std::string& path, const PictureReading& reading = {});

/// Decodes a picture file whose bytes are in memory, as readPicture() does; `name` is used in error
/// messages. Throws PictureError.
Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      const PictureReading& reading = {});

/// Reads the picture at `path`, passes it to `use`, and frees it. Pictures that take more than 64
/// MB are read and used one at a time in the whole program, regardless of how many threads ask.
/// Throws what readPicture() and `use` throw.
void usePicture(const std::string& path, const PictureReading& reading,
                const std::function<void(const Picture&)>& use);

}  // namespace softscope
