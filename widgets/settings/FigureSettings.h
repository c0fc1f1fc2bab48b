#pragma once

#include <string>

namespace softscope {

/// Size and looks of a figure, apart from what it shows.
struct FigureSettings {
  /// What a figure stands on. Transparent ones have the letters of white ones.
  enum class Ground { White, Dark, Transparent };

  /// The width of one, one and a half and two columns of a paper, in millimetres.
  static constexpr double oneColumn = 84;
  static constexpr double oneAndAHalfColumns = 129;
  static constexpr double twoColumns = 174;

  /// Of the whole figure, in millimetres; panels share it.
  double width = twoColumns;
  /// Of panels; 0 for as many as can be read.
  int columns = 0;
  /// Resolution of pictures and heat maps, and of everything in a PNG.
  int dpi = 300;
  std::string font = "DejaVu Sans";
  /// Of titles; what stands beside them is set a little smaller.
  double points = 8;
  /// Captions above panels, and their titles.
  bool titles = true;
  /// (a), (b), ... before blocks of panels, or before panels where there is but one block.
  bool letters = false;
  bool colorBars = true;
  Ground ground = Ground::White;

  bool operator==(const FigureSettings&) const = default;
};

}  // namespace softscope
