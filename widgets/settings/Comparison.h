#pragma once

namespace softscope {

/// How several models are shown side by side.
struct Comparison {
  enum class Difference {
    None,
    Raw,         ///< the first model's values minus each other's
    Normalised,  ///< the same after every map was divided by its largest magnitude
  };

  /// A layer chosen for one model is chosen at the same depth for all.
  bool linkedLayers = true;
  /// One range of values for all models.
  bool linkedScales = false;
  /// The mean over heads instead of every head.
  bool onlyMean = false;
  Difference difference = Difference::None;

  bool operator==(const Comparison&) const = default;
};

}  // namespace softscope
