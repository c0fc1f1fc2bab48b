#pragma once

#include <torch/nn/module.h>

#include <string>

namespace softscope {

/// The module that a path such as `stages.0.blocks` names below `root`; groups are made for the
/// parts that are not there yet. `root` itself for an empty path.
torch::nn::Module& groupAt(torch::nn::Module& root, const std::string& path);

/// Registers a module below `root` under its published path, as `stages.0.blocks.1`.
template <typename M>
M registerAt(torch::nn::Module& root, const std::string& path, M module) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return root.register_module(path, module);
  return groupAt(root, path.substr(0, dot)).register_module(path.substr(dot + 1), module);
}

}  // namespace softscope
