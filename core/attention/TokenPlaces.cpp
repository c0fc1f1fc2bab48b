#include "core/attention/TokenPlaces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace softscope {

namespace {

constexpr int fewestPlaceCells = 64;
constexpr int mostPlaceCells = 256;
constexpr double cellsBetweenTokens = 8;

/// Finds the nearest place for each cell of a row, from left to right. Each place's squared
/// distance is a parabola over the row, and all parabolas have the same width, so one pass over the
/// places from left to right finds those that are smallest somewhere.
class NearestInRow {
 public:
  NearestInRow(const std::vector<std::array<double, 2>>& places, double aspect)
      : places_(places), aspect_(aspect), order_(places.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, {}, [&](int place) { return at(place)[0]; });
  }

  /// Appends the nearest place for each of the `side` cells of the row at `y`.
  void append(double y, int side, std::vector<int>& nearest) {
    findLeast(y);
    std::size_t piece = 0;
    for (int column = 0; column < side; ++column) {
      const double x = (column + 0.5) / side;
      while (piece + 1 < least_.size() && least_[piece + 1].begin <= x * aspect_) ++piece;
      nearest.push_back(nearestAround(piece, x, y));
    }
  }

 private:
  /// A place, and the position (in heights of the picture) to the right of which it is the nearest.
  struct Piece {
    int place;
    double begin;
  };

  const std::array<double, 2>& at(int place) const {
    return places_[static_cast<std::size_t>(place)];
  }
  double distance(int place, double x, double y) const {
    const double across = (at(place)[0] - x) * aspect_;
    const double down = at(place)[1] - y;
    return across * across + down * down;
  }
  /// Returns the position to the right of which the second place, which lies further right, is
  /// nearer than the first.
  double border(int first, int second, double y) const {
    const double left = at(first)[0] * aspect_;
    const double right = at(second)[0] * aspect_;
    const double up = at(first)[1] - y;
    const double down = at(second)[1] - y;
    return (left + right + (down * down - up * up) / (right - left)) / 2;
  }

  void findLeast(double y) {
    least_.clear();
    for (const int place : order_) {
      double begin = -std::numeric_limits<double>::infinity();
      bool isLeast = true;
      while (!least_.empty()) {
        const Piece& last = least_.back();
        if (at(last.place)[0] == at(place)[0]) {
          isLeast = std::abs(at(place)[1] - y) < std::abs(at(last.place)[1] - y);
          if (!isLeast) break;
        } else {
          begin = border(last.place, place, y);
          if (begin > last.begin) break;
          begin = -std::numeric_limits<double>::infinity();
        }
        least_.pop_back();
      }
      if (isLeast) least_.push_back({place, begin});
    }
  }

  /// Returns the nearest place; the first one if several are equally near.
  int nearestAround(std::size_t piece, double x, double y) const {
    const std::size_t begin = piece > 0 ? piece - 1 : 0;
    const std::size_t end = std::min(piece + 2, least_.size());
    int nearest = least_[begin].place;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const int place = least_[i].place;
      const double here = distance(place, x, y);
      const double best = distance(nearest, x, y);
      if (here < best || (here == best && place < nearest)) nearest = place;
    }
    return nearest;
  }

  const std::vector<std::array<double, 2>>& places_;
  double aspect_;
  /// Indices of the places from left to right.
  std::vector<int> order_;
  std::vector<Piece> least_;
};

int rasterSide(std::size_t places) {
  const double wanted = cellsBetweenTokens * std::sqrt(double(places));
  return std::clamp(static_cast<int>(std::ceil(wanted)), fewestPlaceCells, mostPlaceCells);
}

}  // namespace

std::size_t workOfTokenPlaces(std::size_t places) {
  const auto side = static_cast<std::size_t>(rasterSide(places));
  return side * (places + side);
}

TokenPlaces tokenPlaces(std::vector<std::array<double, 2>> places, double aspect) {
  const int side = rasterSide(places.size());
  TokenPlaces result{std::move(places), {side, side}, {}};
  result.nearest.reserve(static_cast<std::size_t>(result.raster.count()));
  NearestInRow rows(result.places, aspect);
  for (int row = 0; row < side; ++row) rows.append((row + 0.5) / side, side, result.nearest);
  return result;
}

}  // namespace softscope
