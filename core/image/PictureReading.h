#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Counts the pictures of a data set that have a sourceNote(), and describes them all in one line.
class NotedPictures {
 public:
  /// Adds a picture's note; an empty note is not counted.
  void add(const std::string& path, const std::string& note);

  /// Returns `3 pictures are not fed as they are stored, the first: PATH: NOTE`; empty if no
  /// picture has a note.
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

enum class ExifOrientation {
  Apply,   ///< turn the picture upright, for display and analysis
  Ignore,  ///< keep the pixels as published evaluation pipelines do: as stored, but for TIFF's tag
};

/// The sample values that become black and white, for pictures with more levels than a screen
/// shows, or with few of them in use: `--levels`.
struct SampleRange {
  enum class Kind {
    Full,     ///< the file's full range: 0 to 255, or to 65 535
    Auto,     ///< from the smallest to the largest value in the picture
    Between,  ///< from `low` to `high`
  };

  Kind kind = Kind::Full;
  int low = 0;
  int high = 0;

  bool operator==(const SampleRange&) const = default;
};

/// Parses `full`, `auto` or `LOW,HIGH` with 0 <= LOW < HIGH <= 65535; returns nothing for any other
/// text.
std::optional<SampleRange> parseSampleRange(const std::string& text);

/// Returns `full`, `auto` or `254,3250`.
std::string sampleRangeText(const SampleRange& range);

/// The largest page number.
constexpr int mostPicturePages = 1'000'000'000;

/// How a picture file is read.
struct PictureReading {
  ExifOrientation orientation = ExifOrientation::Apply;
  SampleRange range{};
  int page = 1;  ///< page in a file of several, counted from 1: `--page`

  bool operator==(const PictureReading&) const = default;
};

/// Reads the pixels of the first page as published evaluation pipelines do.
constexpr PictureReading asPublished{ExifOrientation::Ignore, {}, 1};

/// Returns the options that select this reading, `--exif off --levels 254,3250 --page 3`; defaults
/// are left out.
std::vector<std::string> readingOptions(const PictureReading& reading);

/// The nature of the further pictures in a file. Any page can be read; of frames and views, only
/// the first.
enum class PageKind { Page, Frame, View };

/// The properties of a picture file that 8-bit RGB cannot express, and how they were converted.
struct PictureSource {
  PictureReading reading{};
  int bits = 0;             ///< bits per sample; 0 if no file was decoded
  int lowest = 0;           ///< smallest sample value; known if isRanged()
  int highest = 0;          ///< largest sample value; known if isRanged()
  int black = 0;            ///< the value that became 0
  int white = 255;          ///< the value that became 255
  std::uint64_t pages = 1;  ///< number of pages in the file
  PageKind pageKind = PageKind::Page;
  bool lostAlpha = false;  ///< true if an alpha channel was dropped
  bool isUpright = true;   ///< false if the pixels are turned unless the orientation is ignored
  std::string profile{};   ///< the colour profile that was not applied; empty if there is none

  /// True if sample values were mapped to other levels.
  bool isRanged() const { return bits > 8 || reading.range.kind != SampleRange::Kind::Full; }
};

enum class OptionsInNote { Named, Unnamed };

/// Describes in one line the parts of the file that are not shown, or not as they are stored:
/// `16-bit, values 254 to 3 250 of 65 535, shown from 0 to 65 535; page 1 of 1 000`. Empty for an
/// ordinary picture. `options` says whether to mention the command-line options that change this.
std::string sourceNote(const PictureSource& source, OptionsInNote options);

}  // namespace softscope
