#pragma once

#include "core/array/NpyHeader.h"
#include "core/files/ZipArchive.h"

#include <string>

namespace softscope::test {

/// Returns the notes of a .npz file of numbers, one per line, with a question mark for each
/// non-ASCII character; empty if there are none.
inline std::string notesIn(const std::string& path) {
  ZipArchive archive(path, 1 << 20);
  std::string notes;
  for (std::size_t i = 0; i < archive.entries().size(); ++i) {
    if (archive.entries()[i].name != "notes.npy") continue;
    const std::string bytes = archive.readWhole(i);
    const NpyHeader header = parseNpyHeader(bytes);
    const std::size_t longest = std::stoul(header.type.substr(2));
    for (std::size_t at = header.dataOffset; at + 4 <= bytes.size(); at += 4) {
      const bool ascii = bytes[at + 1] == 0 && bytes[at + 2] == 0 && bytes[at] >= 0;
      if (!ascii) notes += '?';
      if (ascii && bytes[at] != 0) notes += bytes[at];
      if ((at - header.dataOffset) / 4 % longest == longest - 1) notes += '\n';
    }
  }
  return notes;
}

}  // namespace softscope::test
