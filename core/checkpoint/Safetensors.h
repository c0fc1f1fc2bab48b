#pragma once

#include "core/checkpoint/Checkpoint.h"

#include <map>
#include <string>
#include <vector>

namespace softscope {

/// Reads a .safetensors file: every tensor, and `__metadata__`.
Checkpoint readSafetensors(const std::string& path, const Progress& progress = {});

/// The names of the tensors alone, without reading these. Throws Malformed.
std::vector<std::string> safetensorsNames(const std::string& path);

/// Writes one, through a temporary file in the same folder that takes the name only when it is
/// whole. Throws FileError.
void writeSafetensors(const std::string& path, const StateDict& state,
                      const std::map<std::string, std::string>& metadata);

}  // namespace softscope
