#include "core/image/PictureFormat.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tiffio.h>
#include <vector>

namespace softscope {
namespace {

/// A file in memory, as libtiff reads it.
struct TiffInMemory {
  std::span<const std::uint8_t> bytes;
  toff_t place = 0;
};

TiffInMemory& inMemory(thandle_t handle) {
  return *static_cast<TiffInMemory*>(handle);
}

tmsize_t readTiff(thandle_t handle, void* to, tmsize_t size) {
  TiffInMemory& file = inMemory(handle);
  const toff_t left = file.bytes.size() - std::min<toff_t>(file.place, file.bytes.size());
  const auto count = std::min(left, static_cast<toff_t>(std::max<tmsize_t>(size, 0)));
  std::memcpy(to, file.bytes.data() + (file.bytes.size() - left), count);
  file.place += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t writeNothing(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seekTiff(thandle_t handle, toff_t offset, int whence) {
  TiffInMemory& file = inMemory(handle);
  const toff_t from = whence == SEEK_CUR ? file.place : whence == SEEK_END ? file.bytes.size() : 0;
  return file.place = from + offset;
}

int closeNothing(thandle_t) {
  return 0;
}

toff_t sizeOfTiff(thandle_t handle) {
  return inMemory(handle).bytes.size();
}

/// Tells libtiff that a message needs no other handler.
int muteTiff(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

using OpenTiff = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

OpenTiff openTiff(TiffInMemory& file) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), muteTiff, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), muteTiff, nullptr);
  return {TIFFClientOpenExt("picture", "rm", &file, readTiff, writeNothing, seekTiff, closeNothing,
                            sizeOfTiff, nullptr, nullptr, options.get()),
          &TIFFClose};
}

}  // namespace

bool isSoundTiff(std::span<const std::uint8_t> bytes) {
  TiffInMemory file{bytes};
  const OpenTiff tiff = openTiff(file);
  if (!tiff) return false;
  const bool tiled = TIFFIsTiled(tiff.get()) != 0;
  const tmsize_t size = tiled ? TIFFTileSize(tiff.get()) : TIFFStripSize(tiff.get());
  if (size <= 0) return false;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size));
  const std::uint32_t pieces =
      tiled ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get());
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    const tmsize_t read = tiled ? TIFFReadEncodedTile(tiff.get(), piece, pixels.data(), size)
                                : TIFFReadEncodedStrip(tiff.get(), piece, pixels.data(), size);
    if (read < 0) return false;
  }
  return true;
}

}  // namespace softscope
