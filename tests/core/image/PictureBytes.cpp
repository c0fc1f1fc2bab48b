#include "tests/core/image/PictureBytes.h"

#include <bit>
#include <cstdlib>
#include <zlib.h>

namespace softscope::test {

void append(Bytes& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Bytes bytesOf(const std::string& text) {
  return Bytes(text.begin(), text.end());
}

Bytes bmpOf(const BmpRecipe& recipe) {
  const std::uint32_t size = recipe.headerSize;
  Bytes header;
  append(header, size, 4);
  const int sideBytes = size == 12 ? 2 : 4;
  append(header, static_cast<std::uint64_t>(recipe.width), sideBytes);
  append(header, static_cast<std::uint32_t>(recipe.height), sideBytes);
  append(header, 1, 2);
  append(header, static_cast<std::uint64_t>(recipe.bits), 2);
  if (size >= 40) {
    append(header, recipe.compression, 4);
    append(header, recipe.pixels.size(), 4);
    append(header, 2835, 4);
    append(header, 2835, 4);
    append(header, recipe.palette.size(), 4);
    append(header, 0, 4);
    if (size != 64) {
      for (const std::uint32_t mask : recipe.masks) append(header, mask, 4);
    }
  }
  if (header.size() < size) header.resize(size);
  for (const auto& [red, green, blue] : recipe.palette) {
    append(header, {blue, green, red});
    if (size != 12) header.push_back(0);
  }
  Bytes file = bytesOf("BM");
  append(file, 14 + header.size() + recipe.pixels.size(), 4);
  append(file, 0, 4);
  append(file, 14 + header.size(), 4);
  append(file, header);
  append(file, recipe.pixels);
  return file;
}

Bytes maskedRows(const Picture& picture, int bits, const std::vector<std::uint32_t>& masks,
                 std::uint8_t alpha) {
  Bytes rows;
  for (int y = picture.height - 1; y >= 0; --y) {
    for (int x = 0; x < picture.width; ++x) {
      std::uint32_t pixel = 0;
      for (std::size_t c = 0; c < masks.size(); ++c) {
        if (masks[c] == 0) continue;
        const std::size_t at = static_cast<std::size_t>((y * picture.width + x) * 3) + c;
        const std::uint32_t level = c < 3 ? picture.rgb[at] : alpha;
        const int width = std::popcount(masks[c]);
        const std::uint32_t value = width <= 8 ? level >> (8 - width) : level << (width - 8);
        pixel |= value << std::countr_zero(masks[c]);
      }
      append(rows, pixel, bits / 8);
    }
    while (rows.size() % 4 != 0) rows.push_back(0);
  }
  return rows;
}

namespace {

constexpr int shortType = 3;
constexpr int longType = 4;

void appendEntry(Bytes& bytes, int tag, int type, std::uint64_t count, std::uint64_t value) {
  append(bytes, static_cast<std::uint64_t>(tag), 2);
  append(bytes, static_cast<std::uint64_t>(type), 2);
  append(bytes, count, 4);
  append(bytes, value, 4);
}

}  // namespace

Bytes tiffOf(const std::vector<TiffPage>& pages) {
  Bytes file = bytesOf("II*");
  file.push_back(0);
  std::size_t link = file.size();
  append(file, 0, 4);
  const auto writeLink = [&](std::size_t target) {
    for (int i = 0; i < 4; ++i) file[link + i] = static_cast<std::uint8_t>(target >> 8 * i);
  };
  for (const TiffPage& page : pages) {
    const std::size_t strip = file.size();
    append(file, page.pixels);
    std::map<int, std::array<std::uint64_t, 3>> entries;  // Type, count, value.
    const auto place = [&](int tag, int type, const Bytes& content) {
      std::uint64_t value = file.size();
      if (content.size() <= 4) {
        value = 0;
        for (std::size_t i = 0; i < content.size(); ++i) {
          value |= std::uint64_t{content[i]} << 8 * i;
        }
      } else {
        append(file, content);
      }
      entries[tag] = {static_cast<std::uint64_t>(type), content.size(), value};
    };
    Bytes bitsOfEach;
    for (int i = 0; i < page.samples; ++i) {
      append(bitsOfEach, static_cast<std::uint64_t>(page.bits), 2);
    }
    place(258, shortType, bitsOfEach);
    entries[258][1] = static_cast<std::uint64_t>(page.samples);
    if (!page.description.empty()) place(270, 2, bytesOf(page.description + '\0'));
    for (const auto& [tag, block] : page.blocks) place(tag, 1, block);
    const auto single = [&](int tag, int type, std::uint64_t value) {
      entries[tag] = {static_cast<std::uint64_t>(type), 1, value};
    };
    single(256, longType, static_cast<std::uint64_t>(page.width));
    single(257, longType, static_cast<std::uint64_t>(page.height));
    single(259, shortType, 1);
    single(262, shortType, static_cast<std::uint64_t>(page.photometric));
    single(273, longType, strip);
    single(277, shortType, static_cast<std::uint64_t>(page.samples));
    single(278, longType, static_cast<std::uint64_t>(page.height));
    single(279, longType, page.pixels.size());
    for (const auto& [tag, value] : page.tags) {
      single(tag, shortType, static_cast<std::uint64_t>(value));
    }
    if (file.size() % 2 != 0) file.push_back(0);
    writeLink(file.size());
    append(file, entries.size(), 2);
    for (const auto& [tag, entry] : entries) {
      appendEntry(file, tag, static_cast<int>(entry[0]), entry[1], entry[2]);
    }
    link = file.size();
    append(file, 0, 4);
  }
  return file;
}

Bytes pngWith(const Bytes& png, const std::string& type, const Bytes& content) {
  constexpr std::ptrdiff_t afterHeader = 33;
  const auto appendBig = [](Bytes& bytes, std::uint64_t value) {
    for (int i = 3; i >= 0; --i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  Bytes body = bytesOf(type);
  append(body, content);
  Bytes chunk;
  appendBig(chunk, content.size());
  append(chunk, body);
  appendBig(chunk, crc32_z(0, body.data(), body.size()));
  Bytes result = png;
  result.insert(result.begin() + afterHeader, chunk.begin(), chunk.end());
  return result;
}

Bytes wide(const std::vector<std::uint16_t>& samples) {
  Bytes bytes;
  for (const std::uint16_t sample : samples) append(bytes, sample, 2);
  return bytes;
}

}  // namespace softscope::test
