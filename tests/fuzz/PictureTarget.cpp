#include "core/Error.h"
#include "core/image/EncodedPicture.h"
#include "core/image/Picture.h"
#include "core/image/PictureFormat.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"

namespace {

constexpr const char* name = "the picture";
/// Larger ones are looked at as far as their header: decoding them is the decoder's work alone.
constexpr std::uint64_t mostDecoded = 512 * 512;

/// Decodes a page, unless the file says that it is large, and returns how many there are. Throws
/// PictureError.
std::uint64_t decodePage(const std::uint8_t* data, std::size_t size,
                         const softscope::PictureReading& reading) {
  const softscope::EncodedPicture file({data, size}, name);
  const softscope::PictureHeader header =
      softscope::examinePicture(file, softscope::pictureFormat(file), reading.page);
  const bool isSmall = header.width <= mostDecoded && header.height <= mostDecoded &&
                       header.width * header.height <= mostDecoded;
  if (isSmall) {
    static_cast<void>(
        softscope::sourceNote(softscope::decodePicture(data, size, name, reading).source,
                              softscope::OptionsInNote::Named));
  }
  return header.pages;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const softscope::fuzz::RuleWatch watch(size);
  try {
    softscope::PictureReading reading;
    if (decodePage(data, size, reading) > 1) {
      reading.page = 2;
      reading.range.kind = softscope::SampleRange::Kind::Auto;
      decodePage(data, size, reading);
    }
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
