#include "core/image/Picture.h"

#include "core/Error.h"
#include "core/image/BmpHeader.h"
#include "core/image/EncodedPicture.h"
#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"
#include "core/image/SampleDepth.h"
#include "core/machine/StandardStreams.h"

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace softscope {

namespace {

/// Discards what decoders print about damaged pictures (`libpng error: ...`, `Corrupt JPEG data:
/// ...`) for as long as an object of this class exists.
class MutedDecoder {
 public:
  MutedDecoder();

 private:
  SilentStandardError silence_;
};

MutedDecoder::MutedDecoder() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
}

constexpr std::uint64_t maxPixels = 100'000'000;
constexpr std::uint64_t longestFileSide = 1'000'000;
/// Slightly more than 100 megapixels of four uncompressed 16-bit samples.
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

/// Returns the decoder's result, in `target` if that has the right size and type; empty if decoding
/// fails.
cv::Mat decodeStored(std::span<const std::uint8_t> bytes, int flags, cv::Mat target = {}) {
  const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1,
                        const_cast<std::uint8_t*>(bytes.data()));
  const MutedDecoder muted;
  try {
    return cv::imdecode(encoded, flags | cv::IMREAD_IGNORE_ORIENTATION, &target);
  } catch (const cv::Exception&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

/// Refuses DICOM and DTED files. OpenCV may pass any file with their mark, which it searches for
/// far from the first bytes, to its decoders for them, and a few bytes that are not DICOM can make
/// that decoder take gigabytes or abort.
void refuseOtherFormats(const EncodedPicture& file, PictureFormat format) {
  if (file.holds(128, "DICM") || file.holds(140, "DTED")) {
    file.refuse(std::string("is damaged: the ") + formatName(format) +
                " has the mark of DICOM or DTED in it");
  }
}

/// Decodes the pixels of one file.
class PictureDecoding {
 public:
  /// `file` is the input of the decoder: the file itself, or a replacement for it.
  PictureDecoding(const EncodedPicture& file, PictureFormat format, const PictureHeader& header)
      : file_(file), format_(format), header_(header) {}

  /// Decodes the pixels as they are stored.
  Picture decode(const SampleRange& range) const {
    refuseOtherFormats(file_, format_);
    Picture picture;
    picture.width = static_cast<int>(header_.width);
    picture.height = static_cast<int>(header_.height);
    if (header_.bits == 16) {
      decodeWide(range, picture);
    } else {
      picture.rgb.resize(header_.width * header_.height * 3);
      decodeBytes(picture);
      if (range.kind != SampleRange::Kind::Full) showRange(range, picture.rgb, picture.source);
    }
    return picture;
  }

 private:
  [[noreturn]] void refuseAsDamaged() const {
    file_.refuse(std::string("cannot be decoded as ") + formatName(format_) +
                 "; the file is probably damaged");
  }

  void requireSize(const cv::Mat& stored) const {
    if (stored.empty() || static_cast<std::uint64_t>(stored.cols) != header_.width ||
        static_cast<std::uint64_t>(stored.rows) != header_.height) {
      refuseAsDamaged();
    }
  }

  void decodeBytes(Picture& picture) const {
    if (format_ == PictureFormat::Bmp) {
      decodeBmp(file_, picture.rgb);
      return;
    }
    if (format_ == PictureFormat::Tiff && !isSoundTiff(file_.bytes())) refuseAsDamaged();
    cv::Mat rgb(picture.height, picture.width, CV_8UC3, picture.rgb.data());
    if (header_.premultiplied) {
      const cv::Mat stored = decodeStored(file_.bytes(), cv::IMREAD_UNCHANGED);
      requireSize(stored);
      if (stored.type() == CV_8UC4) {
        storeDividedByAlpha(stored, picture.rgb.data());
        return;
      }
    }
    // Decodes directly into the picture, because a copy would take as much memory again.
    const cv::Mat stored = decodeStored(file_.bytes(), cv::IMREAD_COLOR, rgb);
    requireSize(stored);
    if (stored.data != picture.rgb.data()) refuseAsDamaged();
    exchangeRedAndBlue(rgb);
  }

  void decodeWide(const SampleRange& range, Picture& picture) const {
    const int flags = header_.premultiplied ? cv::IMREAD_UNCHANGED
                      : header_.isGrey      ? cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH
                                            : cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH;
    cv::Mat stored = decodeStored(file_.bytes(), flags);
    requireSize(stored);
    if (stored.depth() != CV_16U) refuseAsDamaged();
    if (header_.premultiplied) divideByAlpha(stored);
    if (header_.isNegative) cv::bitwise_not(stored, stored);
    picture.rgb.resize(header_.width * header_.height * 3);
    showRange(range, stored, picture.rgb, picture.source);
  }

  const EncodedPicture& file_;
  PictureFormat format_;
  const PictureHeader& header_;
};

/// Returns the reason why `path` cannot be read as a file, or nothing.
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
  // A file that is not a picture is not read to its end.
  constexpr std::size_t tellingBytes = 4096;
  readUpTo(std::min(size, tellingBytes));
  if (size > 0) static_cast<void>(pictureFormat(EncodedPicture(bytes, path)));
  bytes.reserve(size);
  readUpTo(size);
  return bytes;
}

/// Decodes a picture from bytes that have been examined.
Picture decodeExamined(const EncodedPicture& file, PictureFormat format,
                       const PictureHeader& header, const std::string& name,
                       const PictureReading& reading) {
  const EncodedPicture stored(
      header.replacement.empty() ? file.bytes() : std::span(header.replacement), name);
  Picture picture = PictureDecoding(stored, format, header).decode(reading.range);
  const bool applies = reading.orientation == ExifOrientation::Apply;
  turnUpright(picture, applies ? header.orientation : header.ownOrientation);
  picture.path = name;
  picture.source.reading = reading;
  picture.source.bits = header.bits;
  picture.source.pages = header.pages;
  picture.source.pageKind = header.pageKind;
  picture.source.lostAlpha = header.hasAlpha;
  picture.source.isUpright = header.orientation == header.ownOrientation;
  picture.source.profile = header.profile;
  return picture;
}

struct ExaminedPicture {
  PictureFormat format;
  PictureHeader header;
};

ExaminedPicture examine(const EncodedPicture& file, const PictureReading& reading) {
  if (file.size() == 0) file.refuse("is empty");
  if (file.size() > maxFileBytes) file.refuse(tooManyBytes);
  const PictureFormat format = pictureFormat(file);
  PictureHeader header = examinePicture(file, format, reading.page);
  checkSize(file, header);
  return {format, std::move(header)};
}

/// Returns the most memory, in bytes, that decoding takes in addition to the file: three bytes per
/// pixel, or twelve if the decoder keeps two-byte samples or the state of many scans, or if the
/// picture is turned.
std::uint64_t bytesToDecode(const PictureHeader& header) {
  const bool more =
      header.bits == 16 || header.premultiplied || header.isProgressive || header.orientation != 1;
  return header.width * header.height * (more ? 12 : 3);
}

/// Mutex held while a large picture is read and used.
std::mutex& largePictureMutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Picture decodePicture(const std::uint8_t* data, std::size_t size, const std::string& name,
                      const PictureReading& reading) {
  const EncodedPicture file({data, size}, name);
  const ExaminedPicture examined = examine(file, reading);
  return decodeExamined(file, examined.format, examined.header, name, reading);
}

Picture readPicture(const std::string& path, const PictureReading& reading) {
  const std::vector<std::uint8_t> bytes = readBytes(path);
  return decodePicture(bytes.data(), bytes.size(), path, reading);
}

void usePicture(const std::string& path, const PictureReading& reading,
                const std::function<void(const Picture&)>& use) {
  constexpr std::uint64_t largeBytes = 64 << 20;
  std::unique_lock<std::mutex> alone(largePictureMutex(), std::defer_lock);
  std::error_code error;
  const auto onDisk = std::filesystem::file_size(path, error);
  if (!error && 3 * onDisk > largeBytes) alone.lock();
  Picture picture;
  {
    const std::vector<std::uint8_t> bytes = readBytes(path);
    const EncodedPicture file(bytes, path);
    const ExaminedPicture examined = examine(file, reading);
    if (!alone.owns_lock() && bytesToDecode(examined.header) > largeBytes) alone.lock();
    picture = decodeExamined(file, examined.format, examined.header, path, reading);
  }
  use(picture);
}

}  // namespace softscope
