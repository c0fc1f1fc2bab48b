#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// 256 colours from low to high.
struct ColorMap {
  using Color = std::array<std::uint8_t, 3>;

  std::string name;
  /// True if the map is made for signed values: its middle is neutral and means zero.
  bool diverging = false;
  std::array<Color, 256> colors{};

  /// Returns the colour of `fraction`, clamped to [0, 1].
  Color at(double fraction) const;
};

/// Names in the order of a menu: perceptually uniform maps first, then diverging ones, then the
/// rest.
const std::vector<std::string>& colorMapNames();

/// Returns the map called `name`. Throws an InspectionError that lists the available maps if there
/// is none.
const ColorMap& colorMap(const std::string& name);

}  // namespace softscope
