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

/// What the file says it decodes to, in pixels. Throws PictureError.
std::uint64_t pixelsOf(const std::uint8_t* data, std::size_t size) {
  const softscope::EncodedPicture file({data, size}, name);
  const softscope::PictureHeader header =
      softscope::examinePicture(file, softscope::pictureFormat(file));
  if (header.width > mostDecoded || header.height > mostDecoded) return mostDecoded + 1;
  return header.width * header.height;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const softscope::fuzz::RuleWatch watch(size);
  try {
    if (pixelsOf(data, size) <= mostDecoded) {
      static_cast<void>(softscope::decodePicture(data, size, name));
    }
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
