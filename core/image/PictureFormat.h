#pragma once

#include "core/image/EncodedPicture.h"
#include "core/image/PictureHeader.h"

namespace softscope {

enum class PictureFormat { Jpeg, Png, Webp, Tiff, Bmp };

/// What the first bytes say, whatever the file is called. Throws PictureError for anything else,
/// by name where it is a known format.
PictureFormat pictureFormat(const EncodedPicture& file);

/// "JPEG", "PNG", ...
const char* formatName(PictureFormat format);

/// Each of these reads the header and checks that the file is whole, because decoders hand back
/// what they have of a truncated one, half of it grey. Throws PictureError.
PictureHeader examineJpeg(const EncodedPicture& file);
PictureHeader examinePng(const EncodedPicture& file);
PictureHeader examineWebp(const EncodedPicture& file);
PictureHeader examineTiff(const EncodedPicture& file, int page);
PictureHeader examineBmp(const EncodedPicture& file);

/// The one of them that fits, for the page counted from 1. Throws PictureError where there is none.
PictureHeader examinePicture(const EncodedPicture& file, PictureFormat format, int page = 1);

/// Throws PictureError: the file has not as many pages as that, or not in a way that can be read.
[[noreturn]] void refuseMissingPage(const EncodedPicture& file, const PictureHeader& header,
                                    int page);

}  // namespace softscope
