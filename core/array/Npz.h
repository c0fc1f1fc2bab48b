#pragma once

#include "core/array/Npy.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

using NamedArrays = std::vector<std::pair<std::string, FloatArray>>;

/// Writes a compressed .npz with one member per array. The same arrays give the same bytes.
void writeNpz(const std::string& path, const NamedArrays& arrays);

/// Reads a .npz. Throws FileError.
NamedArrays readNpz(const std::string& path);

}  // namespace softscope
