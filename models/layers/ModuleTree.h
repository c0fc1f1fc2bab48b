#pragma once

#include "models/layers/Layers.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>

namespace softscope {

// Parameters under dotted paths, such as `encoder.layer.0.norm1.weight`, for networks whose files
// name the same parts differently.

/// A module, and the name of one of its children.
struct ModulePlace {
  torch::nn::Module& parent;
  std::string name;
};

/// Returns where `path` belongs below `root`. Missing modules on the way are created as Groups.
ModulePlace placeOf(torch::nn::Module& root, const std::string& path);

/// Registers `module` at `path` and returns it.
template <typename M>
M registerAt(torch::nn::Module& root, const std::string& path, M module) {
  const ModulePlace place = placeOf(root, path);
  return place.parent.register_module(place.name, module);
}

/// Registers a Linear at `path` and returns it. If the path ends in `_`, its parameters are named
/// without a dot, as in PyTorch's own attention: `in_proj_weight` and `in_proj_bias`.
Linear registerLinearAt(torch::nn::Module& root, const std::string& path, Linear linear);

/// Registers an uninitialised parameter of this shape at `path` and returns it.
torch::Tensor registerParameterAt(torch::nn::Module& root, const std::string& path,
                                  at::IntArrayRef shape);

}  // namespace softscope
