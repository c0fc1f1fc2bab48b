#include "core/image/Picture.h"

#include "core/Error.h"
#include "core/image/EncodedPicture.h"
#include "core/image/MutedDecoder.h"
#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <system_error>

namespace softscope {
namespace {

constexpr std::uint64_t maxPixels = 100'000'000;
constexpr std::uint64_t longestFileSide = 1'000'000;
/// 100 megapixels of four 16-bit samples, stored as they are, and a little more.
constexpr std::uintmax_t maxFileBytes = std::uintmax_t{1} << 30;
constexpr const char* tooManyBytes = "is larger than 1 GiB, more than Softscope reads as a picture";

void checkSize(const EncodedPicture& file, const PictureHeader& header) {
  const std::string size = std::to_string(header.width) + " x " + std::to_string(header.height);
  if (header.width == 0 || header.height == 0) {
    file.refuse("is damaged: it says that it is " + size + " pixels");
  }
  if (header.width > longestFileSide || header.height > longestFileSide ||
      header.width * header.height > maxPixels) {
    file.refuse("is " + size + " pixels, more than the 100 megapixels that Softscope reads");
  }
}

cv::Mat decodeStored(std::span<const std::uint8_t> bytes, bool keepAlpha) {
  const int flags =
      keepAlpha ? cv::IMREAD_UNCHANGED : cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
  const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1,
                        const_cast<std::uint8_t*>(bytes.data()));
  const MutedDecoder muted;
  try {
    return cv::imdecode(encoded, flags);
  } catch (const cv::Exception&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

/// 8-bit BGR from BGRA of 8 or 16 bits whose colours are multiplied by alpha.
cv::Mat divideByAlpha(const cv::Mat& stored) {
  cv::Mat bgra;
  stored.convertTo(bgra, CV_8U, stored.depth() == CV_16U ? 1.0 / 257 : 1.0);
  cv::Mat bgr(bgra.size(), CV_8UC3);
  for (int y = 0; y < bgra.rows; ++y) {
    const std::uint8_t* from = bgra.ptr(y);
    std::uint8_t* to = bgr.ptr(y);
    for (int x = 0; x < bgra.cols; ++x, from += 4, to += 3) {
      const int alpha = from[3];
      for (int c = 0; c < 3; ++c) {
        const int value = alpha == 0 || alpha == 255 ? from[c] : from[c] * 255 / alpha;
        to[c] = static_cast<std::uint8_t>(std::min(value, 255));
      }
    }
  }
  return bgr;
}

/// OpenCV may hand to its decoders of DICOM and of DTED whatever has their mark, which they look
/// for far from the first bytes. A few bytes that are no DICOM make the former take gigabytes or
/// abort.
void refuseOtherFormats(const EncodedPicture& file, PictureFormat format) {
  if (file.holds(128, "DICM") || file.holds(140, "DTED")) {
    file.refuse(std::string("is damaged: the ") + formatName(format) +
                " has the mark of DICOM or DTED in it");
  }
}

/// `file` is what the decoder is given: the file itself, or what stands for it.
cv::Mat decode(const EncodedPicture& file, PictureFormat format, const PictureHeader& header) {
  refuseOtherFormats(file, format);
  cv::Mat stored = decodeStored(file.bytes(), header.premultiplied);
  if (header.premultiplied && stored.channels() == 4) {
    stored = divideByAlpha(stored);
  } else if (header.premultiplied) {
    stored = decodeStored(file.bytes(), false);
  }
  if (stored.empty() || stored.type() != CV_8UC3 ||
      static_cast<std::uint64_t>(stored.cols) != header.width ||
      static_cast<std::uint64_t>(stored.rows) != header.height) {
    file.refuse(std::string("cannot be decoded as ") + formatName(format) +
                "; the file is probably damaged");
  }
  return stored;
}

/// The reason why `path` cannot be read as a file, or nothing.
std::string reasonAgainst(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "does not exist";
  if (error) return "cannot be opened: " + error.message();
  if (std::filesystem::is_directory(status)) return "is a folder, not a picture";
  if (!std::filesystem::is_regular_file(status)) return "is not an ordinary file";
  const auto size = std::filesystem::file_size(path, error);
  if (error) return "cannot be opened: " + error.message();
  if (size > maxFileBytes) return tooManyBytes;
  return "";
}

std::vector<std::uint8_t> readBytes(const std::string& path) {
  const std::string reason = reasonAgainst(path);
  if (!reason.empty()) throw PictureError(path, reason);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw PictureError(path, std::string("cannot be opened: ") + std::strerror(errno));
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
  std::vector<std::uint8_t> bytes;
  const auto readUpTo = [&](std::size_t end) {
    const std::size_t begin = bytes.size();
    bytes.resize(end);
    file.read(reinterpret_cast<char*>(bytes.data() + begin),
              static_cast<std::streamsize>(end - begin));
    if (!file) throw PictureError(path, "cannot be read to its end");
  };
  // What is no picture is not read to its end.
  constexpr std::size_t tellingBytes = 4096;
  readUpTo(std::min(size, tellingBytes));
  if (size > 0) static_cast<void>(pictureFormat(EncodedPicture(bytes, path)));
  bytes.reserve(size);
  readUpTo(size);
  return bytes;
}

}  // namespace

Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      ExifOrientation orientation) {
  const EncodedPicture file({data, size}, name);
  if (size == 0) file.refuse("is empty");
  if (size > maxFileBytes) file.refuse(tooManyBytes);
  const PictureFormat format = pictureFormat(file);
  const PictureHeader header = examinePicture(file, format);
  checkSize(file, header);
  const EncodedPicture stored(
      header.replacement.empty() ? file.bytes() : std::span(header.replacement), name);
  cv::Mat bgr = decode(stored, format, header);
  if (orientation == ExifOrientation::Apply) bgr = turnUpright(bgr, header.orientation);

  Picture picture;
  picture.width = bgr.cols;
  picture.height = bgr.rows;
  picture.path = name;
  picture.rgb.resize(bgr.total() * 3);
  cv::Mat rgb(bgr.rows, bgr.cols, CV_8UC3, picture.rgb.data());
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return picture;
}

Picture readPicture(const std::string& path, ExifOrientation orientation) {
  const std::vector<std::uint8_t> bytes = readBytes(path);
  return decodePicture(bytes.data(), bytes.size(), path, orientation);
}

}  // namespace softscope
