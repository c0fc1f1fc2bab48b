#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The code that is timed.
enum class CostScope {
  Attention,  ///< one attention operator on query, key and value, without projections
  Vit12,      ///< twelve pre-norm transformer blocks with that operator
};
/// Returns the scope's name: `attention` or `vit12`.
std::string scopeName(CostScope scope);

/// The passes that are timed.
enum class CostPass {
  Forward,   ///< what an inference does
  Training,  ///< forward and backward, down to the gradients of inputs and of parameters; what an
             ///< optimiser adds does not depend on the mechanism
};
/// Returns the pass's name: `forward` or `training`.
std::string passName(CostPass pass);

/// One point of a cost figure.
struct CostRequest {
  CostScope scope = CostScope::Attention;
  /// One of costMechanisms().
  std::string mechanism;
  int tokens = 784;
  /// Number of channels of all heads together.
  int channels = 384;
  int heads = 12;
  /// Number of threads; 0 for as many as the machine has cores.
  int threads = 0;
  CostPass pass = CostPass::Forward;
  /// Name of the device: `cpu` or `cuda:N`.
  std::string device = "cpu";

  bool operator==(const CostRequest&) const = default;
};

struct CostPoint {
  CostRequest of;
  /// Duration of the fastest of several runs; other work on the machine can only add to it.
  double milliseconds = 0;
  /// Bytes of inputs, output and factors (and of parameters for Vit12), plus, in training, the
  /// gradients of inputs, output and parameters.
  std::int64_t bytes = 0;
  /// Measured peak memory above `bytes`: of the process on the CPU, of the allocations on other
  /// devices.
  std::int64_t peakBytes = 0;
  /// Median and quartiles over all runs, in milliseconds.
  double median = 0;
  double quartile1 = 0;
  double quartile3 = 0;
  int runs = 0;
  /// Number of cores that the measurement could have used but other programs kept busy; empty if
  /// the system does not report it.
  std::optional<double> coresLost = std::nullopt;
};

/// Returns the operators that can be measured. `softmax`: as published, with its whole n x n
/// matrix; `softmax_strips`: as this program runs it, in strips of queries; `sima`: Q (K^T V);
/// `sima_quadratic`: the same numbers as (Q K^T) V; all others are named as on the command line.
const std::vector<std::string>& costMechanisms();
/// Returns the operators that a figure shows by default.
const std::vector<std::string>& defaultCostMechanisms();
/// Returns the operator's name for a legend: `SimA as (Q K^T) V`. Throws InspectionError for a name
/// that costMechanisms() does not list.
std::string costMechanismText(const std::string& mechanism);
/// Returns the name that variants of one operator share: `softmax` for `softmax_strips`, `soft` for
/// `soft++`. Throws InspectionError for a name that costMechanisms() does not list.
std::string costFamily(const std::string& mechanism);

/// Operators that take the same products: with a softmax between them, as (Q K^T) V, and as Q (K^T
/// V).
struct ProductOrders {
  std::string softmax;
  std::string quadratic;
  std::string linear;
};
/// Returns the operators of SimA, whose products can be taken in both orders.
const ProductOrders& productOrders();

/// Number of blocks of CostScope::Vit12.
constexpr int costBlocks = 12;

/// Number of bottleneck columns of mechanisms that have a bottleneck: as SOFT has at the published
/// size.
constexpr int costLandmarks = 49;

/// True if the operator's time grows with the square of the number of tokens. Throws
/// InspectionError for a name that costMechanisms() does not list.
bool isQuadratic(const std::string& mechanism);
/// Returns the bytes of the n x n matrices of all heads that are in memory as a whole: before and
/// after a softmax, and in training those that every layer keeps for its backward pass. 0 if no
/// such matrix is ever formed.
std::int64_t wholeMatrixBytes(const CostRequest& request);

/// The quantity on the horizontal axis of a cost figure.
enum class CostOver { Tokens, Channels, Heads };
/// Returns the quantity's name: `tokens`, `channels` or `heads`.
std::string overName(CostOver over);

/// The points of a cost figure. Empty lists stand for the default ones.
struct CostSweep {
  CostOver over = CostOver::Tokens;
  CostScope scope = CostScope::Attention;
  std::vector<std::string> mechanisms;
  /// The list named by `over` is used as a whole; of the other two only the first entry.
  std::vector<int> tokens;
  std::vector<int> channels;
  std::vector<int> heads;
  int threads = 0;
  CostPass pass = CostPass::Forward;
  /// Name of the device, as in CostRequest.
  std::string device = "cpu";

  bool operator==(const CostSweep&) const = default;
};

/// Returns how many bytes whole n x n matrices may take on a device: on the CPU three quarters of
/// the free memory, so that the system neither swaps nor kills processes. Other devices have no
/// limit here, since they refuse allocations that do not fit.
std::int64_t costMemoryBudget(const std::string& device);

/// The points to measure, and those left out because they would not fit.
struct CostPlan {
  std::vector<CostRequest> points;
  /// One sentence for each mechanism that stops early.
  std::vector<std::string> leftOut;
};

/// Plans the points of a sweep and leaves out those whose whole n x n matrices would take more than
/// `budget` bytes. Throws InspectionError for an unknown mechanism, for channels that are not
/// divisible by the heads, or for fewer tokens than landmarks.
CostPlan planCosts(const CostSweep& sweep, std::int64_t budget);
/// Plans the points within the costMemoryBudget() of the sweep's device.
CostPlan planCosts(const CostSweep& sweep);

/// Returns the sentence `softmax is left out from 6272 tokens on: `, followed by `why`.
std::string leftOutText(const CostRequest& first, CostOver over, const std::string& why);

/// Returns the position of a point on the horizontal axis.
int positionOf(const CostRequest& request, CostOver over);

}  // namespace softscope
