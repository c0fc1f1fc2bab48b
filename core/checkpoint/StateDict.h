#pragma once

#include <torch/types.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// Named tensors, in the order of the file.
class StateDict {
 public:
  struct Entry {
    std::string name;
    torch::Tensor tensor;
  };

  /// Adds a tensor, or replaces the one with that name.
  void insert(std::string name, torch::Tensor tensor);
  /// Returns the tensor with that name, or null.
  const torch::Tensor* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

}  // namespace softscope
