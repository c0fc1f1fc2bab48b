#include "core/Error.h"
#include "core/motion/Motion.h"

#include <cmath>
#include <memory>
#include <webp/encode.h>
#include <webp/mux.h>

namespace softscope {

namespace {

constexpr double milliseconds = 1000;

int momentOf(std::size_t frame, const MotionPace& pace) {
  return static_cast<int>(
      std::lround(milliseconds * static_cast<double>(frame) / pace.framesPerSecond));
}

using Encoder = std::unique_ptr<WebPAnimEncoder, void (*)(WebPAnimEncoder*)>;

Encoder encoderOf(const MotionFrame& first, const MotionPace& pace) {
  WebPAnimEncoderOptions options;
  WebPAnimEncoder* made = nullptr;
  if (WebPAnimEncoderOptionsInit(&options)) {
    options.anim_params.loop_count = pace.loops;
    made = WebPAnimEncoderNew(first.width, first.height, &options);
  }
  if (made == nullptr) throw Error("there is not enough memory to write a WebP");
  return {made, WebPAnimEncoderDelete};
}

void check(int succeeded, WebPAnimEncoder* encoder) {
  if (!succeeded) {
    throw Error(std::string("the WebP cannot be encoded: ") + WebPAnimEncoderGetError(encoder));
  }
}

WebPConfig losslessConfig() {
  WebPConfig config;
  // From 0, the fastest, to 9, the smallest: beyond this, files hardly become smaller.
  constexpr int effort = 4;
  if (!WebPConfigInit(&config) || !WebPConfigLosslessPreset(&config, effort)) {
    throw Error("the WebP library on this computer is of another version than its headers");
  }
  // Colours below full transparency are kept, as nothing of a figure may be lost.
  config.exact = 1;
  return config;
}

void addFrame(WebPAnimEncoder* encoder, const MotionFrame& frame, int moment,
              const WebPConfig& config) {
  WebPPicture picture;
  if (!WebPPictureInit(&picture)) throw Error("there is not enough memory to write a WebP");
  const std::unique_ptr<WebPPicture, void (*)(WebPPicture*)> held(&picture, WebPPictureFree);
  picture.use_argb = 1;
  picture.width = frame.width;
  picture.height = frame.height;
  if (!WebPPictureImportRGBA(&picture, frame.rgba.data(), 4 * frame.width)) {
    throw Error("there is not enough memory to write a WebP");
  }
  check(WebPAnimEncoderAdd(encoder, &picture, moment, &config), encoder);
}

std::string assembled(WebPAnimEncoder* encoder) {
  WebPData data;
  WebPDataInit(&data);
  const std::unique_ptr<WebPData, void (*)(WebPData*)> held(&data, WebPDataClear);
  check(WebPAnimEncoderAssemble(encoder, &data), encoder);
  return {reinterpret_cast<const char*>(data.bytes), data.size};
}

}  // namespace

std::string encodeWebP(std::size_t count, const FrameAt& frameAt, const MotionPace& pace,
                       const Progress& progress) {
  const WebPConfig config = losslessConfig();
  Encoder encoder(nullptr, WebPAnimEncoderDelete);
  for (std::size_t i = 0; i < count; ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(count), "Encoding");
    const MotionFrame frame = frameAt(i);
    if (!encoder) encoder = encoderOf(frame, pace);
    addFrame(encoder.get(), frame, momentOf(i, pace), config);
  }
  check(WebPAnimEncoderAdd(encoder.get(), nullptr, momentOf(count, pace), nullptr), encoder.get());
  return assembled(encoder.get());
}

}  // namespace softscope
