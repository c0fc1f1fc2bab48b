#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace softscope {

// Parameters under dotted paths, such as `encoder.layer.0.norm1.weight`, for networks whose files
// name the same parts differently.

/// A module and what one of its children is called.
struct ModulePlace {
  torch::nn::Module& parent;
  std::string name;
};

/// Where `path` belongs below `root`; what stands above it and is not there yet becomes a Group.
ModulePlace placeOf(torch::nn::Module& root, const std::string& path);

/// Registers `module` at `path` and returns it.
template <typename M>
M registerAt(torch::nn::Module& root, const std::string& path, M module) {
  const ModulePlace place = placeOf(root, path);
  return place.parent.register_module(place.name, module);
}

/// Registers a parameter of that shape, uninitialised, at `path` and returns it.
torch::Tensor registerParameterAt(torch::nn::Module& root, const std::string& path,
                                  at::IntArrayRef shape);

}  // namespace softscope
