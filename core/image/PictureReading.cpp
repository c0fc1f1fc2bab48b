#include "core/image/PictureReading.h"

#include "core/text/Words.h"

#include <string_view>
#include <vector>

namespace softscope {

void NotedPictures::add(const std::string& path, const std::string& note) {
  if (note.empty()) return;
  if (count_ == 0) first_ = path + ": " + note;
  ++count_;
}

std::string NotedPictures::text() const {
  if (count_ == 0) return {};
  if (count_ == 1) return "a picture is not fed as it is stored: " + first_;
  return std::to_string(count_) + " pictures are not fed as they are stored, the first: " + first_;
}

namespace {

constexpr int largestSample = 65'535;

/// Parses a number that consists of digits only.
std::optional<int> parseSample(std::string_view text) {
  if (text.starts_with('-')) return std::nullopt;
  const auto value = parseNumber<int>(text);
  return value && *value <= largestSample ? value : std::nullopt;
}

/// Groups digits by thousands: `65 535`.
std::string groupedDigits(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ' ');
  }
  return text;
}

std::string groupedDigits(int number) {
  return groupedDigits(static_cast<std::uint64_t>(number));
}

std::string rangePhrase(const PictureSource& source, OptionsInNote options) {
  const std::string most = groupedDigits((1 << source.bits) - 1);
  std::string phrase = std::to_string(source.bits) + "-bit, values " +
                       groupedDigits(source.lowest) + " to " + groupedDigits(source.highest) +
                       " of " + most + ", shown from " + groupedDigits(source.black) + " to " +
                       groupedDigits(source.white);
  if (options == OptionsInNote::Named && source.reading.range.kind == SampleRange::Kind::Full) {
    phrase += " (--levels auto or LOW,HIGH for other ends)";
  }
  return phrase;
}

const char* pageWord(PageKind kind) {
  switch (kind) {
    case PageKind::Page:
      return "page ";
    case PageKind::Frame:
      return "frame ";
    case PageKind::View:
      return "picture ";
  }
  return "";
}

std::string pagePhrase(const PictureSource& source, OptionsInNote options) {
  std::string phrase = pageWord(source.pageKind) + groupedDigits(source.reading.page) + " of " +
                       groupedDigits(source.pages);
  const bool named = options == OptionsInNote::Named && source.pageKind == PageKind::Page;
  if (named && source.reading.page == 1) phrase += " (--page N for another)";
  return phrase;
}

}  // namespace

std::optional<SampleRange> parseSampleRange(const std::string& text) {
  if (text == "full") return SampleRange{};
  if (text == "auto") return SampleRange{SampleRange::Kind::Auto};
  const auto comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const auto low = parseSample(std::string_view(text).substr(0, comma));
  const auto high = parseSample(std::string_view(text).substr(comma + 1));
  if (!low || !high || *low >= *high) return std::nullopt;
  return SampleRange{SampleRange::Kind::Between, *low, *high};
}

std::string sampleRangeText(const SampleRange& range) {
  switch (range.kind) {
    case SampleRange::Kind::Full:
      return "full";
    case SampleRange::Kind::Auto:
      return "auto";
    case SampleRange::Kind::Between:
      return std::to_string(range.low) + "," + std::to_string(range.high);
  }
  return "";
}

std::vector<std::string> readingOptions(const PictureReading& reading) {
  std::vector<std::string> options;
  const auto add = [&](const char* option, const std::string& value) {
    options.insert(options.end(), {option, value});
  };
  if (reading.orientation == ExifOrientation::Ignore) add("--exif", "off");
  if (!(reading.range == SampleRange{})) add("--levels", sampleRangeText(reading.range));
  if (reading.page != 1) add("--page", std::to_string(reading.page));
  return options;
}

std::string sourceNote(const PictureSource& source, OptionsInNote options) {
  std::vector<std::string> phrases;
  if (source.isRanged()) phrases.push_back(rangePhrase(source, options));
  if (source.pages > 1) phrases.push_back(pagePhrase(source, options));
  if (source.lostAlpha) phrases.emplace_back("without its alpha channel");
  if (!source.profile.empty()) phrases.push_back(source.profile + " not applied");
  std::string note;
  for (const std::string& phrase : phrases) note += (note.empty() ? "" : "; ") + phrase;
  return note;
}

}  // namespace softscope
