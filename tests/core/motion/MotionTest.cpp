#include "core/Error.h"
#include "core/motion/Motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sys/resource.h>
#include <webp/demux.h>

namespace softscope {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Le;

/// Returns a picture of flat squares with one that moves, as panels with a marked patch are.
MotionFrame movingSquare(std::size_t index, int width = 60, int height = 40) {
  MotionFrame frame{width, height, {}};
  frame.rgba.reserve(static_cast<std::size_t>(4 * width * height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool moves = x / 4 == static_cast<int>(index) % (width / 4) && y / 4 == 3;
      const auto shade = static_cast<std::uint8_t>(moves ? 255 : 16 * (x / 10) + y / 10);
      const auto blue = static_cast<std::uint8_t>(moves ? 0 : 255 - shade);
      frame.rgba.insert(frame.rgba.end(), {shade, static_cast<std::uint8_t>(shade / 2), blue, 255});
    }
  }
  return frame;
}

MotionFrame squareAt(std::size_t index) {
  return movingSquare(index);
}

/// The size, delays and loops of a GIF, read from the blocks of the file format.
struct GifBlocks {
  int width = 0;
  int height = 0;
  int frames = 0;
  std::vector<int> delays;
  /// Times that the frames are repeated; empty if they are shown once.
  std::optional<int> repeats;
};

/// Walks through the blocks of a GIF.
class GifReader {
 public:
  explicit GifReader(const std::string& bytes) : bytes_(bytes) {}

  GifBlocks read() {
    GifBlocks blocks;
    EXPECT_EQ(bytes_.substr(0, 6), "GIF89a");
    blocks.width = shortAt(6);
    blocks.height = shortAt(8);
    at_ = 13 + tableSize(byteAt(10));
    for (;;) {
      const int kind = byteAt(at_++);
      if (kind == 0x3b) break;
      kind == 0x21 ? readExtension(blocks) : skipImage(blocks);
    }
    EXPECT_EQ(at_, bytes_.size());
    return blocks;
  }

 private:
  int byteAt(std::size_t place) const { return static_cast<unsigned char>(bytes_.at(place)); }
  int shortAt(std::size_t place) const { return byteAt(place) + 256 * byteAt(place + 1); }
  static std::size_t tableSize(int flags) {
    return flags & 0x80 ? std::size_t{3} << ((flags & 7) + 1) : 0;
  }
  void skipBlocks() {
    while (const int length = byteAt(at_++)) at_ += static_cast<std::size_t>(length);
  }
  void readExtension(GifBlocks& blocks) {
    const int label = byteAt(at_++);
    if (label == 0xf9) blocks.delays.push_back(shortAt(at_ + 2));
    if (label == 0xff && bytes_.substr(at_ + 1, 11) == "NETSCAPE2.0") {
      blocks.repeats = shortAt(at_ + 14);
    }
    skipBlocks();
  }
  void skipImage(GifBlocks& blocks) {
    ++blocks.frames;
    at_ += 9 + tableSize(byteAt(at_ + 8)) + 1;
    skipBlocks();
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// An animated WebP as libwebp's own decoder reads it.
struct DecodedWebP {
  WebPAnimInfo info{};
  std::vector<std::vector<std::uint8_t>> frames;
  /// The moment at which each frame ends, in milliseconds.
  std::vector<int> ends;
};

DecodedWebP decoded(const std::string& bytes) {
  DecodedWebP result;
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(
      WebPAnimDecoderNew(&data, nullptr), WebPAnimDecoderDelete);
  EXPECT_NE(decoder, nullptr);
  WebPAnimDecoderGetInfo(decoder.get(), &result.info);
  while (WebPAnimDecoderHasMoreFrames(decoder.get())) {
    std::uint8_t* pixels = nullptr;
    int end = 0;
    EXPECT_TRUE(WebPAnimDecoderGetNext(decoder.get(), &pixels, &end));
    const std::size_t size = std::size_t{4} * result.info.canvas_width * result.info.canvas_height;
    result.frames.emplace_back(pixels, pixels + size);
    result.ends.push_back(end);
  }
  return result;
}

/// Tests that hold for the encoders of GIF and of WebP alike.
struct Encoder {
  const char* name;
  std::string (*encode)(std::size_t, const FrameAt&, const MotionPace&, const Progress&);
};

class MotionEncoder : public ::testing::TestWithParam<Encoder> {};

INSTANTIATE_TEST_SUITE_P(Forms, MotionEncoder,
                         ::testing::Values(Encoder{"GIF", encodeGif}, Encoder{"WebP", encodeWebP}),
                         [](const auto& form) { return form.param.name; });

TEST_P(MotionEncoder, GivesTheSameBytesAgain) {
  const std::string bytes = GetParam().encode(5, squareAt, {}, {});
  EXPECT_EQ(GetParam().encode(5, squareAt, {}, {}), bytes);
}

TEST_P(MotionEncoder, ReportsProgressAndStops) {
  std::vector<double> fractions;
  Progress progress([&](double fraction, const std::string&) { fractions.push_back(fraction); });
  GetParam().encode(5, squareAt, {}, progress);
  EXPECT_GE(fractions.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_THAT(fractions, Each(Le(1)));

  Progress stopped([&](double fraction, const std::string&) {
    if (fraction > 0.3) stopped.cancel();
  });
  EXPECT_THROW(GetParam().encode(5, squareAt, {}, stopped), Cancelled);
}

TEST_P(MotionEncoder, PassesOnWhatAFrameThrows) {
  const FrameAt broken = [](std::size_t index) {
    if (index == 2) throw InspectionError("no such head");
    return movingSquare(index);
  };
  EXPECT_THROW(GetParam().encode(5, broken, {}, {}), InspectionError);
}

TEST_P(MotionEncoder, HoldsNotAllFrames) {
  constexpr int width = 1000;
  constexpr int height = 600;
  constexpr std::size_t count = 40;
  const auto peak = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss * 1024L;
  };
  const long before = peak();
  const FrameAt large = [](std::size_t index) { return movingSquare(index, width, height); };
  GetParam().encode(count, large, {}, {});
  EXPECT_LT(peak() - before, static_cast<long>(count) * width * height * 4 / 2);
}

TEST(MotionTest, GifHasEveryFrameWithItsPace) {
  const GifBlocks blocks = GifReader(encodeGif(6, squareAt, {.framesPerSecond = 8}, {})).read();
  EXPECT_EQ(blocks.width, 60);
  EXPECT_EQ(blocks.height, 40);
  EXPECT_EQ(blocks.frames, 6);
  // 12.5 hundredths each.
  EXPECT_THAT(blocks.delays, ElementsAre(13, 12, 13, 12, 13, 12));
  EXPECT_EQ(blocks.repeats, 0) << "for ever";
}

TEST(MotionTest, GifIsShownAsOftenAsWanted) {
  const auto repeats = [](int loops) {
    return GifReader(encodeGif(2, squareAt, {.loops = loops}, {})).read().repeats;
  };
  EXPECT_EQ(repeats(1), std::nullopt);
  EXPECT_EQ(repeats(3), 2) << "repeated twice";
}

TEST(MotionTest, SlowGifKeepsItsPace) {
  const GifBlocks blocks = GifReader(encodeGif(2, squareAt, {.framesPerSecond = 0.1}, {})).read();
  EXPECT_THAT(blocks.delays, ElementsAre(1000, 1000));
}

TEST(MotionTest, WebPLosesNothing) {
  const FrameAt partlyClear = [](std::size_t index) {
    MotionFrame frame = movingSquare(index);
    for (std::size_t i = 3; i < 400; i += 4) frame.rgba[i] = 128;
    return frame;
  };
  for (const FrameAt& frameAt : {FrameAt(squareAt), partlyClear}) {
    const DecodedWebP motion =
        decoded(encodeWebP(7, frameAt, {.framesPerSecond = 3, .loops = 2}, {}));
    EXPECT_EQ(motion.info.canvas_width, 60u);
    EXPECT_EQ(motion.info.canvas_height, 40u);
    EXPECT_EQ(motion.info.loop_count, 2u);
    ASSERT_EQ(motion.frames.size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(motion.frames[i], frameAt(i).rgba) << i;
    EXPECT_THAT(motion.ends, ElementsAre(333, 667, 1000, 1333, 1667, 2000, 2333));
  }
}

}  // namespace
}  // namespace softscope
