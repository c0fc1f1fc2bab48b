#pragma once

#include "core/Progress.h"

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

/// The probability of a class after each of the fractions of the patches, which go from 0 to 1.
struct ProbabilityCurve {
  std::vector<double> fractions;
  std::vector<double> probabilities;

  /// By the trapezoid rule; in [0, 1].
  double area() const;
};

/// What becomes of a class while patches are removed from the picture, and while they are put into
/// an empty one, the most important first. A map that is faithful has a small area under the first
/// and a large one under the second ("RISE: Randomized Input Sampling for Explanation of Black-box
/// Models", 2018, arXiv 1806.07421, Section 4.2). (Its code inserts into a blurred picture and
/// deletes to a grey one; here both are whatever was chosen.)
struct DeletionCurves {
  ProbabilityCurve deletion;
  ProbabilityCurve insertion;
};

/// The probability of the class that is followed where only some patches, [patches], are kept.
using KeptProbability = std::function<double(const std::vector<bool>& kept)>;

/// How many of `patches` are gone after each of `steps` steps, from 0 to all of them; one at a time
/// where there are fewer patches than steps.
std::vector<int> removedPatches(int patches, int steps);

/// The curves of each order, a permutation of the patches. The whole and the empty picture are
/// looked at once. Throws Cancelled.
std::vector<DeletionCurves> followOrders(const std::vector<std::vector<int>>& orders, int steps,
                                         const KeptProbability& probability,
                                         const Progress& progress = {});

/// Several curves over the same fractions: their mean, their deviation, and where nine tenths lie.
struct CurveBand {
  std::vector<double> fractions;
  std::vector<double> mean;
  /// Standard deviation over curves, of n - 1; 0 of a single one.
  std::vector<double> deviation;
  /// The 5th and the 95th percentile.
  std::vector<double> low;
  std::vector<double> high;
  double area = 0;
  double areaDeviation = 0;
  double areaLow = 0;
  double areaHigh = 0;
};

/// Of at least one curve.
CurveBand bandOf(const std::vector<ProbabilityCurve>& curves);

/// How a map's area stands among those of orders at random of the same picture. A map that is
/// chance itself is better than any number of them, from none to all, with the same probability.
struct ChanceRank {
  /// Orders whose areas are worse, and those whose areas are the same.
  int better = 0;
  int equal = 0;
  int orders = 0;

  /// Of the orders that it is better than, in [0, 1], those as good as it counting half; 0.5 in the
  /// mean for chance. Nothing without orders.
  std::optional<double> share() const;
};

/// Whether a small area is the better one, as under deletion, or a large one.
enum class BetterArea { Small, Large };

ChanceRank rankAmong(const std::vector<double>& randomAreas, double area, BetterArea better);

}  // namespace softscope
