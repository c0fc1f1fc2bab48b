#pragma once

#include "core/Progress.h"

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

/// The probability of a class after each of the given fractions of the patches, from 0 to 1.
struct ProbabilityCurve {
  std::vector<double> fractions;
  std::vector<double> probabilities;

  /// Returns the area under the curve by the trapezoid rule; in [0, 1].
  double area() const;
};

/// The probability of a class while patches are removed from the picture, and while they are put
/// into an empty one, the most important first. A faithful map has a small area under the first
/// curve and a large one under the second ("RISE: Randomized Input Sampling for Explanation of
/// Black-box Models", 2018, arXiv 1806.07421, Section 4.2). (RISE's code inserts into a blurred
/// picture and deletes to a grey one; here both use the chosen removal.)
struct DeletionCurves {
  ProbabilityCurve deletion;
  ProbabilityCurve insertion;
};

/// Returns the probability of the followed class if only some patches, [patches], are kept.
using KeptProbability = std::function<double(const std::vector<bool>& kept)>;

/// Returns how many of `patches` are removed after each of `steps` steps, from 0 to all; one at a
/// time if there are fewer patches than steps.
std::vector<int> removedPatches(int patches, int steps);

/// Called after each order with the curves of all orders followed so far.
using FollowedOrders = std::function<void(const std::vector<DeletionCurves>& soFar)>;

/// Returns the curves of each order, a permutation of the patches, and tells `followed` as they
/// come. The whole and the empty picture are evaluated only once. May throw Cancelled.
std::vector<DeletionCurves> followOrders(const std::vector<std::vector<int>>& orders, int steps,
                                         const KeptProbability& probability,
                                         const Progress& progress = {},
                                         const FollowedOrders& followed = {});

/// Several curves over the same fractions: their mean, their deviation, and the range that nine
/// tenths of them lie in.
struct CurveBand {
  std::vector<double> fractions;
  std::vector<double> mean;
  /// Standard deviation over curves, with n - 1; 0 for a single curve.
  std::vector<double> deviation;
  /// The 5th and the 95th percentile.
  std::vector<double> low;
  std::vector<double> high;
  double area = 0;
  double areaDeviation = 0;
  double areaLow = 0;
  double areaHigh = 0;
};

/// Returns the band of at least one curve.
CurveBand bandOf(const std::vector<ProbabilityCurve>& curves);

/// The rank of a map's area among those of random orders of the same picture. A map that is itself
/// chance is better than k of them with the same probability for every k from none to all.
struct ChanceRank {
  /// Numbers of orders whose areas are worse, and whose areas are the same.
  int better = 0;
  int equal = 0;
  int orders = 0;

  /// Returns the share of orders that the map is better than, in [0, 1], counting equally good ones
  /// half; 0.5 on average for chance. Empty if there are no orders.
  std::optional<double> share() const;
};

/// Tells which areas are better: small ones, as under deletion, or large ones.
enum class BetterArea { Small, Large };

ChanceRank rankAmong(const std::vector<double>& randomAreas, double area, BetterArea better);

}  // namespace softscope
