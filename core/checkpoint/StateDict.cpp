#include "core/checkpoint/StateDict.h"

#include <utility>

namespace softscope {

void StateDict::insert(std::string name, torch::Tensor tensor) {
  const auto [position, added] = positions_.try_emplace(name, entries_.size());
  if (added) {
    entries_.push_back({std::move(name), std::move(tensor)});
  } else {
    entries_[position->second].tensor = std::move(tensor);
  }
}

const torch::Tensor* StateDict::find(std::string_view name) const {
  const auto position = positions_.find(name);
  return position == positions_.end() ? nullptr : &entries_[position->second].tensor;
}

}  // namespace softscope
