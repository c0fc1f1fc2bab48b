#include "core/Error.h"
#include "core/motion/Motion.h"

#include <cgif.h>
#include <cmath>
#include <libimagequant.h>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// One entry of a GIF's table stays free for pixels that equal those of the frame before.
constexpr int sharedColors = 255;
/// Diffused errors would make a surface that stays the same flicker, and move the shared colours
/// from one frame to the next.
constexpr float ditheringLevel = 0;
constexpr double hundredths = 100;
/// The part of the work that choosing the colours takes.
constexpr double choosingPart = 0.5;

template <typename Handle>
using Held = std::unique_ptr<Handle, void (*)(Handle*)>;

template <typename Handle>
Held<Handle> held(Handle* handle, void (*release)(Handle*)) {
  if (handle == nullptr) throw Error("there is not enough memory to write a GIF");
  return {handle, release};
}

void checkColors(liq_error error) {
  if (error != LIQ_OK) {
    throw Error("the colours of a GIF cannot be chosen (libimagequant's error " +
                std::to_string(static_cast<int>(error)) + ")");
  }
}

/// A palette for all frames, chosen from what they show together.
class SharedPalette {
 public:
  SharedPalette() {
    checkColors(liq_set_max_colors(options_.get(), sharedColors));
    // The fastest that still adds the colours of a whole picture, as pictures come by the hundred.
    constexpr int speed = 6;
    checkColors(liq_set_speed(options_.get(), speed));
  }

  void add(const MotionFrame& frame) {
    const Held<liq_image> image = imageOf(frame);
    checkColors(liq_histogram_add_image(histogram_.get(), options_.get(), image.get()));
  }

  /// Chooses the colours; called once, after all frames were added.
  void choose() {
    liq_result* result = nullptr;
    checkColors(liq_histogram_quantize(histogram_.get(), options_.get(), &result));
    result_ = held(result, liq_result_destroy);
    checkColors(liq_set_dithering_level(result, ditheringLevel));
  }

  /// Returns the palette's index of each pixel.
  std::vector<std::uint8_t> indicesOf(const MotionFrame& frame) {
    const Held<liq_image> image = imageOf(frame);
    std::vector<std::uint8_t> indices(frame.rgba.size() / 4);
    checkColors(
        liq_write_remapped_image(result_.get(), image.get(), indices.data(), indices.size()));
    return indices;
  }

  /// Returns the colours, red, green and blue of each.
  std::vector<std::uint8_t> colors() {
    const liq_palette* palette = liq_get_palette(result_.get());
    std::vector<std::uint8_t> colors;
    for (unsigned i = 0; i < palette->count; ++i) {
      const liq_color& color = palette->entries[i];
      colors.insert(colors.end(), {color.r, color.g, color.b});
    }
    return colors;
  }

 private:
  Held<liq_image> imageOf(const MotionFrame& frame) const {
    return held(
        liq_image_create_rgba(options_.get(), frame.rgba.data(), frame.width, frame.height, 0),
        liq_image_destroy);
  }

  Held<liq_attr> options_ = held(liq_attr_create(), liq_attr_destroy);
  Held<liq_histogram> histogram_ =
      held(liq_histogram_create(options_.get()), liq_histogram_destroy);
  Held<liq_result> result_{nullptr, liq_result_destroy};
};

int takeBytes(void* text, const std::uint8_t* bytes, std::size_t count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return 0;
}

/// A GIF in memory.
class GifWriter {
 public:
  GifWriter(const MotionFrame& first, std::vector<std::uint8_t> colors, const MotionPace& pace)
      : colors_(std::move(colors)), pace_(pace) {
    CGIF_Config config{};
    config.pGlobalPalette = colors_.data();
    config.numGlobalPaletteEntries = static_cast<std::uint16_t>(colors_.size() / 3);
    config.width = static_cast<std::uint16_t>(first.width);
    config.height = static_cast<std::uint16_t>(first.height);
    config.attrFlags = CGIF_ATTR_IS_ANIMATED;
    // The format counts repetitions after the first time.
    if (pace.loops == 1) config.attrFlags |= CGIF_ATTR_NO_LOOP;
    if (pace.loops > 1) config.numLoops = static_cast<std::uint16_t>(pace.loops - 1);
    config.pWriteFn = takeBytes;
    config.pContext = &bytes_;
    gif_ = cgif_newgif(&config);
    if (gif_ == nullptr) throw Error("there is not enough memory to write a GIF");
  }
  ~GifWriter() {
    if (gif_ != nullptr) cgif_close(gif_);
  }
  GifWriter(const GifWriter&) = delete;
  GifWriter& operator=(const GifWriter&) = delete;

  void add(std::vector<std::uint8_t> indices) {
    CGIF_FrameConfig config{};
    config.pImageData = indices.data();
    config.genFlags = CGIF_FRAME_GEN_USE_TRANSPARENCY | CGIF_FRAME_GEN_USE_DIFF_WINDOW;
    config.delay = nextDelay();
    check(cgif_addframe(gif_, &config));
  }

  std::string finish() {
    CGIF* const gif = std::exchange(gif_, nullptr);
    check(cgif_close(gif));
    return std::move(bytes_);
  }

 private:
  static void check(int result) {
    if (result != CGIF_OK) {
      throw Error("the GIF cannot be encoded (cgif's error " + std::to_string(result) + ")");
    }
  }

  /// Returns the hundredths of a second until the next frame, so that the mean pace is exact.
  std::uint16_t nextDelay() {
    const double end = std::round(hundredths * ++frames_ / pace_.framesPerSecond);
    const double delay = end - std::exchange(shown_, end);
    return static_cast<std::uint16_t>(
        std::min<double>(delay, std::numeric_limits<std::uint16_t>::max()));
  }

  std::vector<std::uint8_t> colors_;
  const MotionPace pace_;
  CGIF* gif_ = nullptr;
  std::string bytes_;
  int frames_ = 0;
  double shown_ = 0;
};

}  // namespace

std::string encodeGif(std::size_t count, const FrameAt& frameAt, const MotionPace& pace,
                      const Progress& progress) {
  const auto report = [&](std::size_t index, double from, const std::string& what) {
    const double part = static_cast<double>(index) / static_cast<double>(count);
    progress.report(from + choosingPart * part, what);
  };
  SharedPalette palette;
  for (std::size_t i = 0; i < count; ++i) {
    report(i, 0, "Choosing colours");
    palette.add(frameAt(i));
  }
  palette.choose();
  std::optional<GifWriter> writer;
  for (std::size_t i = 0; i < count; ++i) {
    report(i, choosingPart, "Encoding");
    const MotionFrame frame = frameAt(i);
    std::vector<std::uint8_t> indices = palette.indicesOf(frame);
    if (!writer) writer.emplace(frame, palette.colors(), pace);
    writer->add(std::move(indices));
  }
  return writer->finish();
}

}  // namespace softscope
