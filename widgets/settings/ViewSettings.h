#pragma once

#include <string>

namespace softscope {

/// How attention is drawn, on the screen and in a figure.
struct ViewSettings {
  /// What the ends of a heat map's colours stand for.
  enum class Normalisation {
    PerHead,     ///< each head's smallest and largest value
    Shared,      ///< the smallest and largest value of all heads shown together
    Percentile,  ///< each head's 1st and 99th percentile; values beyond take the end colours
  };
  enum class Theme { Light, Dark };

  /// A map of colorMapNames() for values of one sign, and a diverging one for signed values.
  std::string colorMap = "inferno";
  std::string divergingColorMap = "blue-white-red";
  /// Of the heat map over the picture, in [0, 1].
  double opacity = 0.55;
  Normalisation normalisation = Normalisation::PerHead;
  /// Interpolates between patches; otherwise every patch is a flat rectangle.
  bool smooth = false;
  /// Draws magnitudes; otherwise signed values use the diverging map, centred at zero.
  bool absolute = false;

  bool operator==(const ViewSettings&) const = default;
};

/// Which way an attention matrix is read.
enum class Direction {
  Rows,     ///< what a patch attends to
  Columns,  ///< who attends to a patch
};

}  // namespace softscope
