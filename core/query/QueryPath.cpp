#include "core/query/QueryPath.h"

#include "core/Error.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

/// A path is followed in steps of this part of a patch.
constexpr double stepOfPatch = 1.0 / 16;
constexpr std::size_t mostSteps = 100'000;

/// Returns the distance of two places if the picture is `width` x `height`.
double distance(const PictureQuery& a, const PictureQuery& b, double width, double height) {
  return std::hypot((b.x - a.x) * width, (b.y - a.y) * height);
}

PictureQuery between(const PictureQuery& a, const PictureQuery& b, double part) {
  return {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), {}};
}

double lengthOf(const std::vector<PictureQuery>& corners, double width, double height) {
  double length = 0;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    length += distance(corners[i - 1], corners[i], width, height);
  }
  return length;
}

/// Returns the steps that a path takes over patches, or mostSteps if it is longer.
std::size_t stepsOver(const std::vector<PictureQuery>& corners, const TokenGrid& grid,
                      const PictureExtent& extent) {
  const double width = grid.width * extent.width / extent.region.width;
  const double height = grid.height * extent.height / extent.region.height;
  const double steps = std::ceil(lengthOf(corners, width, height) / stepOfPatch);
  return static_cast<std::size_t>(std::min(steps, static_cast<double>(mostSteps)));
}

}  // namespace

std::vector<PictureQuery> pathAcross(const PictureExtent& extent, const PictureQuery& query) {
  const double left = extent.region.x / extent.width;
  const double right = (extent.region.x + extent.region.width) / extent.width;
  const double top = extent.region.y / extent.height;
  const double bottom = (extent.region.y + extent.region.height) / extent.height;
  // A region may reach beyond the picture, where no query can be.
  const auto within = [](double place) { return std::clamp(place, 0.0, 1.0); };
  const double y = within(std::clamp(query.y, top, bottom));
  return {{within(left), y, {}}, {within(right), y, {}}};
}

std::vector<PictureQuery> placesAlong(const std::vector<PictureQuery>& corners,
                                      const PictureExtent& extent, std::size_t count) {
  const double whole = lengthOf(corners, extent.width, extent.height);
  std::vector<PictureQuery> places;
  std::size_t corner = 1;
  double passed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = whole * static_cast<double>(i) / static_cast<double>(count - 1);
    const auto next = [&] {
      return distance(corners[corner - 1], corners[corner], extent.width, extent.height);
    };
    while (corner + 1 < corners.size() && passed + next() < wanted) {
      passed += next();
      ++corner;
    }
    const double part = next() > 0 ? std::min(1.0, (wanted - passed) / next()) : 0;
    places.push_back(between(corners[corner - 1], corners[corner], part));
  }
  return places;
}

std::vector<PictureQuery> patchesAlong(const std::vector<PictureQuery>& corners,
                                       const AttentionDescription& attention,
                                       const PictureExtent& extent, Direction direction) {
  const std::optional<TokenGrid> grid = chosenGrid(attention, direction);
  if (!grid) {
    throw InspectionError("a query has no path in this layer, whose " +
                          std::string(direction == Direction::Rows ? "queries" : "keys") +
                          " are not patches; choose another layer, or sweep over layers");
  }
  const std::size_t steps = std::max<std::size_t>(stepsOver(corners, *grid, extent), 2);
  const std::vector<PictureQuery> places = placesAlong(corners, extent, steps);
  const auto tokenOf = [&](std::size_t i) {
    return queryToken(attention, extent, places[i], direction);
  };
  std::vector<PictureQuery> queries;
  for (std::size_t from = 0; from < places.size();) {
    std::size_t to = from + 1;
    while (to < places.size() && tokenOf(to) == tokenOf(from)) ++to;
    queries.push_back(places[(from + to - 1) / 2]);
    from = to;
  }
  return queries;
}

std::vector<PictureQuery> sweptPlaces(std::vector<PictureQuery> corners, int count,
                                      const AttentionDescription& attention,
                                      const PictureExtent& extent, Direction direction) {
  if (corners.size() < 2) corners = pathAcross(extent, corners.front());
  // Also refuses layers without patches.
  std::vector<PictureQuery> patches = patchesAlong(corners, attention, extent, direction);
  if (count == 0) return patches;
  return placesAlong(corners, extent, static_cast<std::size_t>(count));
}

}  // namespace softscope
