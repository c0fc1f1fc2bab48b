#pragma once

#include "core/analysis/AnalysedLayer.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace softscope {

class AttentionMap;
class OpenModels;

/// Tells whether the subject of a result is still what an open model shows of the open picture.
/// Other results must be dropped, because they keep alive what they refer to, which may be a whole
/// model.
class OpenSubjects {
 public:
  explicit OpenSubjects(const OpenModels& models) : models_(models) {}

  bool operator()(const std::shared_ptr<const Inspection>& inspection) const;
  /// True if an open model shows the layer of this attention.
  bool operator()(const std::shared_ptr<const AttentionMap>& attention) const;
  bool operator()(const AnalysedLayer& layer) const { return (*this)(layer.inspection); }

  /// True if all of the subjects are still open.
  template <typename Of>
  bool operator()(const std::vector<Of>& all) const {
    return std::all_of(all.begin(), all.end(), *this);
  }

  /// Checks a subject that names layers, a layer, an inspection or a wider subject.
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
