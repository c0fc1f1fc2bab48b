#pragma once

#include "core/array/Npy.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

using NamedArrays = std::vector<std::pair<std::string, FloatArray>>;

/// Writes a compressed .npz with one member per array. The same arrays give the same bytes.
void writeNpz(const std::string& path, const NamedArrays& arrays);

/// Likewise, of members that are .npy files already: names without their ending, and bytes.
void writeNpzMembers(const std::string& path,
                     const std::vector<std::pair<std::string, std::string>>& members);

/// Reads a .npz. Throws FileError.
NamedArrays readNpz(const std::string& path);

}  // namespace softscope
