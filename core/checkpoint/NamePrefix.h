#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

/// Returns true for the names of OpenMMLab's vision transformers whose head, beside the backbone,
/// is a Linear on the class token, or two. DeiT's has a second one on another token.
bool haveHeadOfOpenMmlab(const std::vector<std::string_view>& names);

/// Returns the prefix that wrappers put before names: `module.` and the like before all of them, or
/// `backbone.` before the network's own, unless that is part of the names, as in the files of
/// EfficientViT's authors, or parts of the network such as its class token stand beside it. Empty
/// if nothing wraps the names.
std::string wrapperPrefix(std::vector<std::string_view> names);

/// The averaged weights in a state dict that also holds the weights themselves.
struct NamedAverage {
  /// Prefix of the averaged weights (`ema_model.`); empty if there is only one copy.
  std::string prefix;
  /// True if the weights themselves are evaluated: they have no prefix, as in the file of a network
  /// that keeps its own average, or the average served the training alone, as MoCo's encoder of
  /// keys does.
  bool isForTraining = false;
  /// Prefix of the weights themselves if the other ones are no average but those of a teacher, from
  /// which a smaller network learns (`student.`); otherwise empty.
  std::string student = {};

  /// Returns true for a name of the copy below `prefix`, or of the other copy.
  bool isOfCopy(std::string_view name, bool isAverage) const {
    if (name.starts_with(prefix) != isAverage) return false;
    return isAverage || name.starts_with(student);
  }
};

/// Returns true if the tensors with these two names have the same shape.
using HaveOneShape = std::function<bool(const std::string&, const std::string&)>;

/// Finds the averaged weights: tensors with the names and the shapes of others.
NamedAverage namedAverage(const std::vector<std::string_view>& names,
                          const HaveOneShape& haveOneShape);

/// Two encoders that were trained together, one of them the running average of the other, by what
/// their names begin with.
struct MomentumPair {
  std::string_view trained, average;
  /// True if the average is what the authors evaluate.
  bool isAverageEvaluated = false;
};

/// Returns the pairs of MoCo, BYOL, MoCo v3, I-JEPA, MSN, ALBEF and BLIP.
std::span<const MomentumPair> momentumPairs();

/// Returns true if all names are below a prefix such as `ema_model.`, so that the weights are a
/// running average without the weights themselves.
bool areAveraged(const std::vector<std::string_view>& names);

/// Returns possible prefixes that a custom trainer may have put before a network's names; the one
/// that most names share comes first.
std::vector<std::string> possiblePrefixes(const std::vector<std::string_view>& names);

}  // namespace softscope
