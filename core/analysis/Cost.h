#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// What is timed.
enum class CostScope {
  Attention,  ///< one attention operator on query, key and value, without projections
  Vit12,      ///< twelve pre-norm transformer blocks with that operator
};
/// `attention`, `vit12`.
std::string scopeName(CostScope scope);

/// One point of a cost figure.
struct CostRequest {
  CostScope scope = CostScope::Attention;
  /// One of costMechanisms().
  std::string mechanism;
  int tokens = 784;
  /// Of all heads together.
  int channels = 384;
  int heads = 12;
  /// 0 for the machine's cores.
  int threads = 0;

  bool operator==(const CostRequest&) const = default;
};

struct CostPoint {
  CostRequest of;
  /// The fastest of several runs: other work on the machine only ever adds to it.
  double milliseconds = 0;
  /// Of inputs, output and factors (of parameters too, for Vit12).
  std::int64_t bytes = 0;
  /// The process' measured high water above these.
  std::int64_t peakBytes = 0;
};

/// The operators that can be measured. `softmax`: as published, its n x n matrix at once;
/// `softmax_strips`: as this program runs it, in strips of queries; `sima`: Q (K^T V);
/// `sima_quadratic`: the same numbers as (Q K^T) V; the others as on the command line elsewhere.
const std::vector<std::string>& costMechanisms();
/// Those of a figure where nothing else is asked for.
const std::vector<std::string>& defaultCostMechanisms();
/// What it is in words, for a legend's reader: `SimA as (Q K^T) V`. Throws InspectionError for what
/// costMechanisms() does not list, as do those below.
std::string costMechanismText(const std::string& mechanism);
/// What variants of one operator share: `softmax` of `softmax_strips`, `soft` of `soft++`.
std::string costFamily(const std::string& mechanism);

/// Operators of the same products: with a softmax between them, as (Q K^T) V, and as Q (K^T V).
struct ProductOrders {
  std::string softmax;
  std::string quadratic;
  std::string linear;
};
/// Those of SimA, whose products can be taken in both orders.
const ProductOrders& productOrders();

/// Bottleneck columns of mechanisms that have one: SOFT's at the published size.
constexpr int costLandmarks = 49;

/// Whether its time grows with the square of the tokens.
bool isQuadratic(const std::string& mechanism);
/// What n x n matrices of all heads take while they are whole in memory, before and after a
/// softmax; 0 where they never are.
std::int64_t wholeMatrixBytes(const CostRequest& request);

/// What goes along the axis of a cost figure.
enum class CostOver { Tokens, Channels, Heads };
/// `tokens`, `channels`, `heads`.
std::string overName(CostOver over);

/// The points of a cost figure. Lists that are empty stand for the usual ones.
struct CostSweep {
  CostOver over = CostOver::Tokens;
  CostScope scope = CostScope::Attention;
  std::vector<std::string> mechanisms;
  /// Along `over` all of a list is taken, of the others the first.
  std::vector<int> tokens;
  std::vector<int> channels;
  std::vector<int> heads;
  int threads = 0;

  bool operator==(const CostSweep&) const = default;
};

/// What whole n x n matrices may take.
constexpr std::int64_t costMemoryBudget = std::int64_t{3} << 30;

/// What is measured, and what is left out because it would not fit.
struct CostPlan {
  std::vector<CostRequest> points;
  /// A sentence for each mechanism that stops early.
  std::vector<std::string> leftOut;
};

/// Throws InspectionError for a mechanism that is not there, channels that heads do not divide, or
/// fewer tokens than landmarks.
CostPlan planCosts(const CostSweep& sweep);

/// What a point lies at along the axis.
int positionOf(const CostRequest& request, CostOver over);

}  // namespace softscope
