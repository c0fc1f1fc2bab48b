#pragma once

#include "core/image/EncodedPicture.h"
#include "core/image/PictureHeader.h"

namespace softscope {

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
PictureHeader examineBmp(const EncodedPicture& file);

/// Calls the one of these functions that suits the format, for the page counted from 1. Throws
/// PictureError if there is no such page.
PictureHeader examinePicture(const EncodedPicture& file, PictureFormat format, int page = 1);

/// Throws PictureError: the file has no page of that number, or not in a readable form.
[[noreturn]] void refuseMissingPage(const EncodedPicture& file, const PictureHeader& header,
                                    int page);

}  // namespace softscope
