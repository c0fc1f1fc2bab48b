#include "models/layers/ModuleTree.h"

#include <cstddef>

namespace softscope {

namespace {

torch::nn::Module& childGroup(torch::nn::Module& parent, const std::string& name) {
  const auto children = parent.named_children();
  if (const auto* child = children.find(name)) return **child;
  return *parent.register_module(name, Group());
}

}  // namespace

ModulePlace placeOf(torch::nn::Module& root, const std::string& path) {
  torch::nn::Module* parent = &root;
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    parent = &childGroup(*parent, path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return {*parent, path.substr(begin)};
}

Linear registerLinearAt(torch::nn::Module& root, const std::string& path, Linear linear) {
  if (!path.ends_with('_')) return registerAt(root, path, linear);
  const ModulePlace place = placeOf(root, path);
  place.parent.register_parameter(place.name + "weight", linear->weight);
  if (linear->bias.defined()) place.parent.register_parameter(place.name + "bias", linear->bias);
  return linear;
}

torch::Tensor registerParameterAt(torch::nn::Module& root, const std::string& path,
                                  at::IntArrayRef shape) {
  const ModulePlace place = placeOf(root, path);
  return place.parent.register_parameter(place.name, torch::empty(shape));
}

}  // namespace softscope
