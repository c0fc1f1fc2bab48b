#pragma once

#include <array>
#include <optional>
#include <string>

namespace softscope {

/// Where the landmarks of SOFT, SOFT++ and Nyströmformer come from.
enum class LandmarkSource {
  Trained,  ///< as the network was trained with them
  Pooled,   ///< means of queries that lie together
  Random,   ///< distinct queries, drawn
  First,    ///< the first queries
};

inline constexpr std::array landmarkSources{LandmarkSource::Trained, LandmarkSource::Pooled,
                                            LandmarkSource::Random, LandmarkSource::First};

/// `trained`, `pooled`, `random` or `first`.
std::string nameOf(LandmarkSource source);
/// The source of that name, or nothing.
std::optional<LandmarkSource> landmarkSourceNamed(const std::string& name);

/// The landmarks of all layers of a network that have some; keys have the same tokens' as queries.
struct LandmarkChoice {
  LandmarkSource source = LandmarkSource::Trained;
  /// Of landmarks in each layer; as many as were trained where nothing is said. Unused by Trained.
  std::optional<int> count;
  /// Of Random; not negative.
  int seed = 0;

  bool isTrained() const { return source == LandmarkSource::Trained; }
  /// `pooled landmarks`, `16 random landmarks, seed 3`; empty for those that were trained.
  std::string text() const;

  bool operator==(const LandmarkChoice&) const = default;
};

}  // namespace softscope
