#pragma once

#include "core/checkpoint/Checkpoint.h"

#include <map>
#include <string>
#include <vector>

namespace softscope {

/// Reads every tensor of a .safetensors file, and its `__metadata__`.
Checkpoint readSafetensors(const std::string& path, const Progress& progress = {});

/// Returns the names of the tensors without reading the tensors. Throws Malformed.
std::vector<std::string> safetensorsNames(const std::string& path);

/// Writes a .safetensors file through a temporary file in the same folder, which takes the name
/// only when it is complete. Throws FileError.
void writeSafetensors(const std::string& path, const StateDict& state,
                      const std::map<std::string, std::string>& metadata);

}  // namespace softscope
