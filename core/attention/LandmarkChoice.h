#pragma once

#include <array>
#include <optional>
#include <string>

namespace softscope {

/// The origin of the landmarks of SOFT, SOFT++ and Nyströmformer.
enum class LandmarkSource {
  Trained,  ///< the landmarks that the network was trained with
  Pooled,   ///< means of neighbouring queries
  Random,   ///< distinct queries, drawn at random
  First,    ///< the first queries
};

inline constexpr std::array landmarkSources{LandmarkSource::Trained, LandmarkSource::Pooled,
                                            LandmarkSource::Random, LandmarkSource::First};

/// Returns `trained`, `pooled`, `random` or `first`.
std::string nameOf(LandmarkSource source);
/// Returns the source with this name, or nothing.
std::optional<LandmarkSource> landmarkSourceNamed(const std::string& name);

/// The choice of landmarks for all layers of a network that have them; keys use the same tokens as
/// queries.
struct LandmarkChoice {
  LandmarkSource source = LandmarkSource::Trained;
  /// Number of landmarks in each layer; if empty, as many as were trained. With Trained, the number
  /// that was trained, for networks whose weights do not tell it.
  std::optional<int> count;
  /// Seed of Random; not negative.
  int seed = 0;

  bool isTrained() const { return source == LandmarkSource::Trained; }
  /// Returns `pooled landmarks` or `16 random landmarks, seed 3`; empty for trained landmarks.
  std::string text() const;

  bool operator==(const LandmarkChoice&) const = default;
};

/// Returns a note on a mechanism without the landmarks that it begins with, as text() names them:
/// `not what was trained` for `16 random landmarks, seed 3, not what was trained`.
std::string noteWithoutLandmarks(const std::string& note);

}  // namespace softscope
