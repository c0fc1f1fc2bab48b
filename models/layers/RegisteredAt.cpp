#include "models/layers/RegisteredAt.h"

#include "models/layers/Layers.h"

#include <sstream>

namespace softscope {

torch::nn::Module& groupAt(torch::nn::Module& root, const std::string& path) {
  torch::nn::Module* module = &root;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');) {
    const auto children = module->named_children();
    const std::shared_ptr<torch::nn::Module>* child = children.find(part);
    module = child != nullptr ? child->get() : module->register_module(part, Group()).get();
  }
  return *module;
}

}  // namespace softscope
