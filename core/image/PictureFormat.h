#pragma once

#include "core/image/EncodedPicture.h"
#include "core/image/PictureReading.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace softscope {

/// Returns `its colour profile Display P3` if a picture has an ICC profile other than sRGB; its
/// colours are then misread, because all pictures are taken for sRGB. Empty for sRGB.
std::string unusedProfile(std::span<const std::uint8_t> icc);

/// The description that a picture file gives of itself, read without decoding it.
struct PictureHeader {
  std::uint64_t width = 0;   ///< as stored, before orientation
  std::uint64_t height = 0;  ///< as stored, before orientation
  int orientation = 1;       ///< EXIF's 1 to 8; 1 is upright
  /// The orientation that published evaluations apply, too: Pillow turns a TIFF by its own tag as
  /// it reads it.
  int ownOrientation = 1;
  int bits = 8;  ///< bits per sample: 16, or 8 for 8 and fewer
  /// True if a pixel is a single sample, its brightness.
  bool isGrey = false;
  /// True if the largest sample is black. The decoder passes samples on unchanged.
  bool isNegative = false;
  bool hasAlpha = false;
  /// True if the stored colours are multiplied by the alpha beside them.
  bool premultiplied = false;
  /// True if the decoder keeps the whole picture between passes over it.
  bool isProgressive = false;
  std::uint64_t pages = 1;
  PageKind pageKind = PageKind::Page;
  /// Description of the colour profile if it is not sRGB: "its colour profile Display P3".
  std::string profile;
  /// The bytes to decode instead of the file's; empty if the file can be decoded as it is.
  std::vector<std::uint8_t> replacement;
};

enum class PictureFormat { Jpeg, Png, Webp, Tiff, Bmp };

/// Recognises the format by the first bytes and ignores the file's name. Throws PictureError for
/// anything else, naming the format if it is a known one.
PictureFormat pictureFormat(const EncodedPicture& file);

/// Returns "JPEG", "PNG", ...
const char* formatName(PictureFormat format);

/// Each of these functions reads the header and checks that the file is complete, because decoders
/// return what they have of a truncated file, half of it grey. Throws PictureError.
PictureHeader examineJpeg(const EncodedPicture& file);
PictureHeader examinePng(const EncodedPicture& file);
PictureHeader examineWebp(const EncodedPicture& file);
PictureHeader examineTiff(const EncodedPicture& file, int page);
/// Returns false if libtiff cannot decode all strips or tiles of the first page: OpenCV leaves what
/// they lack black, without an error.
bool isSoundTiff(std::span<const std::uint8_t> bytes);
PictureHeader examineBmp(const EncodedPicture& file);

/// Calls the one of these functions that suits the format, for the page counted from 1. Throws
/// PictureError if there is no such page.
PictureHeader examinePicture(const EncodedPicture& file, PictureFormat format, int page = 1);

/// Throws the PictureError that says that the file does not have the page, or not in a form that
/// can be read.
[[noreturn]] void refuseMissingPage(const EncodedPicture& file, const PictureHeader& header,
                                    int page);

}  // namespace softscope
