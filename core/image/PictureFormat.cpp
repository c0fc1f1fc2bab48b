#include "core/image/PictureFormat.h"

#include "core/Error.h"
#include "core/image/EncodedPicture.h"
#include "core/text/Words.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace softscope {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t longestName = 40;

/// Returns the text of a profileDescriptionTag of version 2 (ASCII) or 4 (UTF-16, from which only
/// ASCII is kept).
std::string descriptionAt(const EncodedPicture& profile, std::size_t at) {
  std::string name;
  const auto add = [&](std::uint32_t unit) {
    if (unit >= 0x20 && unit < 0x7f) name += static_cast<char>(unit);
  };
  if (profile.holds(at, "desc"sv)) {
    const std::size_t length = std::min<std::size_t>(profile.big32(at + 8), longestName);
    for (const std::uint8_t unit : profile.slice(at + 12, length)) add(unit);
  } else if (profile.holds(at, "mluc"sv) && profile.big32(at + 8) > 0) {
    const std::size_t length = std::min<std::size_t>(profile.big32(at + 20) / 2, longestName);
    const std::size_t begin = at + profile.big32(at + 24);
    for (std::size_t i = 0; i < length; ++i) add(profile.big16(begin + 2 * i));
  }
  return name;
}

std::string descriptionOf(const EncodedPicture& profile) {
  constexpr std::size_t tagTable = 128;
  constexpr std::uint32_t mostTags = 100;
  try {
    const std::uint32_t tags = std::min(profile.big32(tagTable), mostTags);
    for (std::size_t i = 0; i < tags; ++i) {
      const std::size_t entry = tagTable + 4 + 12 * i;
      if (profile.holds(entry, "desc"sv)) return descriptionAt(profile, profile.big32(entry + 4));
    }
  } catch (const PictureError&) {
    // The profile has no readable name.
  }
  return "";
}

/// Recognises sRGB under the names that versions and vendors give it, but not profiles with a
/// different tone curve.
bool isSrgb(const std::string& profile) {
  const std::string name = lowerCase(profile);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  return (has("srgb") && !has("linear") && !has("scrgb") && !has("g10")) || name == "c2";
}

using namespace std::string_view_literals;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  const char* name;
};

/// Common picture formats that cannot be read, but deserve a better message than "is not a
/// picture".
constexpr std::array unreadFormats{
    Signature{0, "GIF8"sv, "a GIF"},
    Signature{4, "ftypheic"sv, "a HEIC picture"},
    Signature{4, "ftypheix"sv, "a HEIC picture"},
    Signature{4, "ftyphevc"sv, "a HEIC picture"},
    Signature{4, "ftypmif1"sv, "a HEIF picture"},
    Signature{4, "ftypmsf1"sv, "a HEIF picture"},
    Signature{4, "ftypavif"sv, "an AVIF picture"},
    Signature{4, "ftypavis"sv, "an AVIF picture"},
    Signature{0, "\xff\x4f\xff\x51"sv, "a JPEG 2000 picture"},
    Signature{4, "jP  \r\n\x87\n"sv, "a JPEG 2000 picture"},
    Signature{0, "\xff\x0a"sv, "a JPEG XL picture"},
    Signature{4, "JXL \r\n\x87\n"sv, "a JPEG XL picture"},
    Signature{0, "8BPS"sv, "a Photoshop document"},
    Signature{0, "P3\n"sv, "a PPM picture"},
    Signature{0, "P5\n"sv, "a PGM picture"},
    Signature{0, "P6\n"sv, "a PPM picture"},
    Signature{0, "v/1\x01"sv, "an OpenEXR picture"},
    Signature{0, "#?RADIANCE"sv, "a Radiance picture"},
    Signature{0, "SIMPLE  ="sv, "a FITS picture"},
    Signature{128, "DICM"sv, "a DICOM picture"},
    Signature{0, "%PDF-"sv, "a PDF"},
};

/// Recognises SVG, which is text; its root element may follow a declaration and comments.
bool looksLikeSvg(const EncodedPicture& file) {
  const auto head = file.bytes().first(std::min<std::size_t>(file.size(), 1024));
  const std::string text(head.begin(), head.end());
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != std::string::npos && text[first] == '<' && text.find("<svg") != std::string::npos;
}

[[noreturn]] void refuseUnread(const EncodedPicture& file) {
  const auto refuse = [&](const std::string& what) {
    file.refuse("is " + what + ", which Softscope does not read; save it as PNG or JPEG");
  };
  for (const Signature& signature : unreadFormats) {
    if (file.holds(signature.offset, signature.bytes)) refuse(signature.name);
  }
  if (looksLikeSvg(file)) refuse("an SVG drawing");
  file.refuse("is not a picture Softscope reads (JPEG, PNG, WebP, TIFF, BMP)");
}

bool looksLikeTiff(const EncodedPicture& file) {
  return file.holds(0, "II\x2a\0"sv) || file.holds(0, "MM\0\x2a"sv) ||
         file.holds(0, "II\x2b\0"sv) || file.holds(0, "MM\0\x2b"sv);
}

}  // namespace

std::string unusedProfile(std::span<const std::uint8_t> icc) {
  const std::string name = descriptionOf(EncodedPicture(icc, "profile"));
  if (isSrgb(name)) return "";
  return name.empty() ? "its colour profile" : "its colour profile " + name;
}

PictureFormat pictureFormat(const EncodedPicture& file) {
  if (file.holds(0, "\xff\xd8\xff"sv)) return PictureFormat::Jpeg;
  if (file.holds(0, "\x89PNG\r\n\x1a\n"sv)) return PictureFormat::Png;
  if (file.holds(0, "RIFF"sv) && file.holds(8, "WEBP"sv)) return PictureFormat::Webp;
  if (looksLikeTiff(file)) return PictureFormat::Tiff;
  // Many texts begin with "BM"; in a bitmap, the reserved words after the size are zero.
  if (file.holds(0, "BM"sv) && (file.size() < 10 || file.holds(6, "\0\0\0\0"sv))) {
    return PictureFormat::Bmp;
  }
  refuseUnread(file);
}

const char* formatName(PictureFormat format) {
  switch (format) {
    case PictureFormat::Jpeg:
      return "JPEG";
    case PictureFormat::Png:
      return "PNG";
    case PictureFormat::Webp:
      return "WebP";
    case PictureFormat::Tiff:
      return "TIFF";
    case PictureFormat::Bmp:
      return "BMP";
  }
  return "";
}

void refuseMissingPage(const EncodedPicture& file, const PictureHeader& header, int page) {
  const std::string wanted = "has no page " + std::to_string(page) + " that Softscope reads: ";
  if (header.pageKind == PageKind::Frame) {
    file.refuse(wanted + "of an animation, the first frame is read; save another as a picture");
  }
  if (header.pageKind == PageKind::View) {
    file.refuse(wanted + "of a JPEG with several, the first is read; save another as a picture");
  }
  if (header.pages == 1) file.refuse(wanted + "it holds one picture; leave out --page");
  const std::string pages = std::to_string(header.pages);
  file.refuse(wanted + "it holds " + pages + "; --page is from 1 to " + pages);
}

PictureHeader examinePicture(const EncodedPicture& file, PictureFormat format, int page) {
  if (format == PictureFormat::Tiff) return examineTiff(file, page);
  PictureHeader header;
  switch (format) {
    case PictureFormat::Jpeg:
      header = examineJpeg(file);
      break;
    case PictureFormat::Png:
      header = examinePng(file);
      break;
    case PictureFormat::Webp:
      header = examineWebp(file);
      break;
    case PictureFormat::Bmp:
      header = examineBmp(file);
      break;
    case PictureFormat::Tiff:
      break;
  }
  if (page > 1) refuseMissingPage(file, header, page);
  return header;
}

}  // namespace softscope
