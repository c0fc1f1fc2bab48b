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
  /// Made for signed values: its middle is neutral and means zero.
  bool diverging = false;
  std::array<Color, 256> colors{};

  /// The colour of `fraction`, clamped to [0, 1].
  Color at(double fraction) const;
};

/// Names in the order a menu shows them: perceptually uniform maps first, then diverging ones, then
/// the rest.
const std::vector<std::string>& colorMapNames();

/// Throws InspectionError naming the maps there are.
const ColorMap& colorMap(const std::string& name);

}  // namespace softscope
