#pragma once

#include "core/array/Npy.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Arrays by their names, and what they say.
struct NamedArrays : std::vector<std::pair<std::string, FloatArray>> {
  using std::vector<std::pair<std::string, FloatArray>>::vector;

  /// The result in one sentence, as a Table has it; empty if none was made. A .npz has no place for
  /// it.
  std::string sentence = {};
};

/// Writes a compressed .npz with one member per array and, if there are any notes, a member of
/// texts called `notes`. The same arrays and notes give the same bytes.
void writeNpz(const std::string& path, const NamedArrays& arrays,
              const std::vector<std::string>& notes = {});

/// Writes a compressed .npz of members that are already .npy files, each given as its name without
/// the ending and its bytes.
void writeNpzMembers(const std::string& path,
                     const std::vector<std::pair<std::string, std::string>>& members);

/// Reads the numeric arrays of a .npz and skips texts. Throws FileError.
NamedArrays readNpz(const std::string& path);

}  // namespace softscope
