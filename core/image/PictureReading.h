#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

enum class ExifOrientation {
  Apply,   ///< turn the picture upright, for display and analysis
  Ignore,  ///< the pixels as they are stored, which published evaluation pipelines take
};

/// The values of samples that become black and white, where a picture has more of them than a
/// screen, or uses few: `--levels`.
struct SampleRange {
  enum class Kind {
    Full,     ///< all that the file can hold: 0 to 255, or to 65 535
    Auto,     ///< from the smallest to the largest value in the picture
    Between,  ///< from `low` to `high`
  };

  Kind kind = Kind::Full;
  int low = 0;
  int high = 0;

  bool operator==(const SampleRange&) const = default;
};

/// Reads `full`, `auto` or `LOW,HIGH` with 0 <= LOW < HIGH <= 65535; nothing for anything else.
std::optional<SampleRange> parseSampleRange(const std::string& text);

/// `full`, `auto`, `254,3250`.
std::string sampleRangeText(const SampleRange& range);

/// Pages are counted up to so many.
constexpr int mostPicturePages = 1'000'000'000;

/// How a picture file is read.
struct PictureReading {
  ExifOrientation orientation = ExifOrientation::Apply;
  SampleRange range{};
  int page = 1;  ///< of a file of several, counted from 1: `--page`

  bool operator==(const PictureReading&) const = default;
};

/// The pixels as they are stored, of the first page, which published evaluation pipelines take.
constexpr PictureReading asPublished{ExifOrientation::Ignore, {}, 1};

/// The options, `--exif off --levels 254,3250 --page 3`, that say so; none for what is the default.
std::vector<std::string> readingOptions(const PictureReading& reading);

/// What the further pictures of a file are. Of pages any can be read, of the others the first.
enum class PageKind { Page, Frame, View };

/// What a picture file holds that 8-bit RGB has no place for, and what was made of it.
struct PictureSource {
  PictureReading reading{};
  int bits = 0;             ///< of a sample; 0 where no file was decoded
  int lowest = 0;           ///< value of all samples; known where isRanged()
  int highest = 0;          ///< value of all samples; known where isRanged()
  int black = 0;            ///< the value that became 0
  int white = 255;          ///< the value that became 255
  std::uint64_t pages = 1;  ///< in the file
  PageKind pageKind = PageKind::Page;
  bool lostAlpha = false;  ///< there was an alpha channel, which is left out
  std::string profile{};   ///< the colour profile that was not applied, if there is one

  /// Whether values became others than they are.
  bool isRanged() const { return bits > 8 || reading.range.kind != SampleRange::Kind::Full; }
};

enum class OptionsInNote { Named, Unnamed };

/// What of the file is not shown, or not as it is stored, in one line: `16-bit, values 254 to 3 250
/// of 65 535, shown from 0 to 65 535; page 1 of 1 000`; empty for an ordinary picture. With the
/// options of the command line that change it, or without.
std::string sourceNote(const PictureSource& source, OptionsInNote options);

}  // namespace softscope
