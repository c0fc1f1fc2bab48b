#pragma once

#include "core/analysis/AnalysedLayer.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace softscope {

class AttentionMap;
class OpenModels;

/// Whether what a result is of is what an open model shows of the open picture. What a result
/// holds, which may be a whole model, lives as long as it does.
class StillOpen {
 public:
  explicit StillOpen(const OpenModels& models) : models_(models) {}

  bool operator()(const std::shared_ptr<const Inspection>& inspection) const;
  /// A layer's.
  bool operator()(const std::shared_ptr<const AttentionMap>& attention) const;
  bool operator()(const AnalysedLayer& layer) const { return (*this)(layer.inspection); }

  /// All of them.
  template <typename Of>
  bool operator()(const std::vector<Of>& all) const {
    return std::all_of(all.begin(), all.end(), *this);
  }

  /// A subject that names layers, a layer, an inspection or a wider subject.
  template <typename Subject>
  bool operator()(const Subject& subject) const {
    if constexpr (requires { subject.layers; }) {
      return (*this)(subject.layers);
    } else if constexpr (requires { subject.layer; }) {
      return (*this)(subject.layer);
    } else if constexpr (requires { subject.inspection; }) {
      return (*this)(subject.inspection);
    } else {
      return (*this)(subject.of);
    }
  }

 private:
  const OpenModels& models_;
};

}  // namespace softscope
