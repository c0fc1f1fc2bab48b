#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace softscope {

/// Adds an option that can be repeated, takes one value each time, and never consumes a positional
/// argument that follows.
template <typename T>
CLI::Option* addRepeatable(CLI::App& command, const std::string& names, std::vector<T>& values,
                           const std::string& description) {
  return command.add_option(names, values, description)
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

}  // namespace softscope
