#pragma once

#include "core/array/Npy.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

using NamedArrays = std::vector<std::pair<std::string, FloatArray>>;

/// Writes a compressed .npz with one member per array and, unless there are none, one of texts that
/// is called `notes`. The same arrays and notes give the same bytes.
void writeNpz(const std::string& path, const NamedArrays& arrays,
              const std::vector<std::string>& notes = {});

/// Likewise, of members that are .npy files already: names without their ending, and bytes.
void writeNpzMembers(const std::string& path,
                     const std::vector<std::pair<std::string, std::string>>& members);

/// Reads the numbers of a .npz; texts are passed over. Throws FileError.
NamedArrays readNpz(const std::string& path);

}  // namespace softscope
