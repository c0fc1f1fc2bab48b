#pragma once

#include <cstdint>
#include <optional>
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

/// What is run of it.
enum class CostPass {
  Forward,   ///< what an inference does
  Training,  ///< forward and backward, down to the gradients of inputs and of parameters; what an
             ///< optimiser adds does not depend on the mechanism
};
/// `forward`, `training`.
std::string passName(CostPass pass);

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
  CostPass pass = CostPass::Forward;
  /// `cpu`, or `cuda:N`.
  std::string device = "cpu";

  bool operator==(const CostRequest&) const = default;
};

struct CostPoint {
  CostRequest of;
  /// The fastest of several runs: other work on the machine only ever adds to it.
  double milliseconds = 0;
  /// Of inputs, output and factors (of parameters too, for Vit12), and of the gradients of inputs,
  /// output and parameters where it is trained.
  std::int64_t bytes = 0;
  /// The measured high water above these: of the process on the CPU, of what was allocated on
  /// another device.
  std::int64_t peakBytes = 0;
  /// Of all runs, in milliseconds.
  double median = 0;
  double quartile1 = 0;
  double quartile3 = 0;
  int runs = 0;
  /// Cores that it could have worked on and other programs kept busy meanwhile; nothing where the
  /// system does not tell.
  std::optional<double> coresLost = std::nullopt;
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

/// Blocks of CostScope::Vit12.
constexpr int costBlocks = 12;

/// Bottleneck columns of mechanisms that have one: SOFT's at the published size.
constexpr int costLandmarks = 49;

/// Whether its time grows with the square of the tokens.
bool isQuadratic(const std::string& mechanism);
/// What n x n matrices of all heads take while they are whole in memory: before and after a
/// softmax, and in a training those that every layer keeps for its backward pass; 0 where they
/// never are.
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
  CostPass pass = CostPass::Forward;
  /// As in CostRequest.
  std::string device = "cpu";

  bool operator==(const CostSweep&) const = default;
};

/// What whole n x n matrices may take on a device: three quarters of the memory that is free, so
/// that the system does not begin to swap or to end processes. Not limited on other devices, which
/// refuse what does not fit.
std::int64_t costMemoryBudget(const std::string& device);

/// What is measured, and what is left out because it would not fit.
struct CostPlan {
  std::vector<CostRequest> points;
  /// A sentence for each mechanism that stops early.
  std::vector<std::string> leftOut;
};

/// Leaves out where whole n x n matrices would take more than `budget` bytes. Throws
/// InspectionError for a mechanism that is not there, channels that heads do not divide, or fewer
/// tokens than landmarks.
CostPlan planCosts(const CostSweep& sweep, std::int64_t budget);
/// With what the sweep's device has.
CostPlan planCosts(const CostSweep& sweep);

/// `softmax is left out from 6272 tokens on: ` and why.
std::string leftOutText(const CostRequest& first, CostOver over, const std::string& why);

/// What a point lies at along the axis.
int positionOf(const CostRequest& request, CostOver over);

}  // namespace softscope
