#include "core/analysis/Cost.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"
#include "core/machine/ProcessMemory.h"

#include <algorithm>
#include <limits>

namespace softscope {
namespace {

/// An operator that can be measured, and the mechanism that it belongs to.
struct FoundOperator {
  const Mechanism& mechanism;
  const MeasuredOperator& measured;
};

FoundOperator findOperator(const std::string& name) {
  for (const Mechanism& mechanism : mechanisms()) {
    for (const MeasuredOperator& measured : mechanism.operators) {
      if (measured.name == name) return {mechanism, measured};
    }
  }
  std::string known;
  for (const std::string& measured : costMechanisms()) {
    known += (known.empty() ? "" : ", ") + measured;
  }
  throw InspectionError("there is no mechanism \"" + name + "\" to measure; there are " + known);
}

/// Returns the names of the operators for which `wanted` returns true, in their order.
std::vector<std::string> operatorNames(bool (*wanted)(const MeasuredOperator&)) {
  std::vector<std::string> names;
  for (const Mechanism& mechanism : mechanisms()) {
    for (const MeasuredOperator& measured : mechanism.operators) {
      if (wanted(measured)) names.emplace_back(measured.name);
    }
  }
  return names;
}

/// Returns the token counts of SOFT's Figure 1b: 784 p for p = 1 ... 8.
std::vector<int> defaultTokens(CostScope scope, const std::string& mechanism) {
  std::vector<int> tokens;
  for (int p = 1; p <= 8; ++p) tokens.push_back(784 * p);
  if (scope == CostScope::Vit12 || isQuadratic(mechanism)) return tokens;
  tokens.insert(tokens.end(), {12544, 25088, 65536});
  return tokens;
}

/// Token counts around the point where the orders Q (K^T V) and (Q K^T) V cross: about as many
/// tokens as a head has channels.
const std::vector<int> fewTokens = {8, 16, 32, 64, 128, 256};

std::vector<int> positions(const CostSweep& sweep, const std::string& mechanism) {
  switch (sweep.over) {
    case CostOver::Channels:
      if (!sweep.channels.empty()) return sweep.channels;
      return sweep.scope == CostScope::Vit12 ? std::vector<int>{96, 192, 384, 768}
                                             : std::vector<int>{96, 192, 384, 768, 1536};
    case CostOver::Heads:
      if (!sweep.heads.empty()) return sweep.heads;
      return {1, 2, 4, 6, 12, 24};
    case CostOver::Tokens:
      break;
  }
  if (!sweep.tokens.empty()) return sweep.tokens;
  std::vector<int> tokens = defaultTokens(sweep.scope, mechanism);
  if (sweep.scope == CostScope::Attention && findOperator(mechanism).mechanism.twins) {
    tokens.insert(tokens.begin(), fewTokens.begin(), fewTokens.end());
  }
  return tokens;
}

CostRequest requestAt(const CostSweep& sweep, const std::string& mechanism, int position) {
  CostRequest request;
  request.scope = sweep.scope;
  request.mechanism = mechanism;
  request.threads = sweep.threads;
  request.pass = sweep.pass;
  request.device = sweep.device;
  // Channels and heads are compared at a size where tokens dominate the cost: SOFT's first stage.
  const int usual = sweep.over == CostOver::Tokens    ? 784
                    : sweep.scope == CostScope::Vit12 ? 784
                                                      : 3136;
  request.tokens = sweep.tokens.empty() ? usual : sweep.tokens.front();
  if (!sweep.channels.empty()) request.channels = sweep.channels.front();
  if (!sweep.heads.empty()) request.heads = sweep.heads.front();
  if (sweep.over == CostOver::Tokens) request.tokens = position;
  if (sweep.over == CostOver::Channels) request.channels = position;
  if (sweep.over == CostOver::Heads) request.heads = position;
  return request;
}

void check(const CostRequest& request) {
  const Mechanism& mechanism = findOperator(request.mechanism).mechanism;
  if (request.tokens < 1 || request.channels < 1 || request.heads < 1) {
    throw InspectionError("tokens, channels and heads are at least 1");
  }
  if (request.channels % request.heads != 0) {
    throw InspectionError(std::to_string(request.heads) + " heads do not divide " +
                          std::to_string(request.channels) + " channels");
  }
  if (mechanism.hasLandmarks && request.tokens < costLandmarks) {
    throw InspectionError(request.mechanism + " has " + std::to_string(costLandmarks) +
                          " landmarks; give it at least as many tokens, not " +
                          std::to_string(request.tokens));
  }
}

/// Returns a size in words: `3 GiB`, `700 MiB`.
std::string memoryText(std::int64_t bytes) {
  constexpr int gibibyte = 30;
  constexpr int mebibyte = 20;
  return bytes >> gibibyte > 0 ? std::to_string(bytes >> gibibyte) + " GiB"
                               : std::to_string(bytes >> mebibyte) + " MiB";
}

/// Returns the number of layers that keep matrices of their own during training.
int layersOf(CostScope scope) {
  return scope == CostScope::Vit12 ? costBlocks : 1;
}

}  // namespace

std::string scopeName(CostScope scope) {
  return scope == CostScope::Vit12 ? "vit12" : "attention";
}

std::string passName(CostPass pass) {
  return pass == CostPass::Training ? "training" : "forward";
}

std::string overName(CostOver over) {
  switch (over) {
    case CostOver::Channels:
      return "channels";
    case CostOver::Heads:
      return "heads";
    case CostOver::Tokens:
      break;
  }
  return "tokens";
}

const std::vector<std::string>& costMechanisms() {
  static const std::vector<std::string> names =
      operatorNames([](const MeasuredOperator&) { return true; });
  return names;
}

const std::vector<std::string>& defaultCostMechanisms() {
  static const std::vector<std::string> names =
      operatorNames([](const MeasuredOperator& measured) { return measured.usual; });
  return names;
}

std::string costMechanismText(const std::string& mechanism) {
  const auto& [of, measured] = findOperator(mechanism);
  return std::string(measured.title.empty() ? of.title : measured.title);
}

std::string costFamily(const std::string& mechanism) {
  const Mechanism& of = findOperator(mechanism).mechanism;
  return std::string(of.variantOf.empty() ? of.name : of.variantOf);
}

const ProductOrders& productOrders() {
  static const ProductOrders orders = [] {
    const auto of = std::find_if(mechanisms().begin(), mechanisms().end(),
                                 [](const Mechanism& mechanism) { return mechanism.twins; });
    return ProductOrders{std::string(of->twins->softmax), std::string(of->twins->quadratic),
                         std::string(of->operators.front().name)};
  }();
  return orders;
}

bool isQuadratic(const std::string& mechanism) {
  return findOperator(mechanism).measured.quadratic;
}

std::int64_t wholeMatrixBytes(const CostRequest& request) {
  const MeasuredOperator& measured = findOperator(request.mechanism).measured;
  std::int64_t matrices = measured.wholeMatrices;
  if (request.pass == CostPass::Training) {
    matrices += std::int64_t{measured.keptMatrices} * layersOf(request.scope);
  }
  return matrices * request.heads * request.tokens * request.tokens *
         static_cast<std::int64_t>(sizeof(float));
}

std::int64_t costMemoryBudget(const std::string& device) {
  if (device != "cpu") return std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t unknown = std::int64_t{4} << 30;
  const std::int64_t available = availableBytes();
  return (available > 0 ? available : unknown) / 4 * 3;
}

std::string leftOutText(const CostRequest& first, CostOver over, const std::string& why) {
  return first.mechanism + " is left out from " + std::to_string(positionOf(first, over)) + " " +
         overName(over) + " on: " + why;
}

CostPlan planCosts(const CostSweep& sweep) {
  return planCosts(sweep, costMemoryBudget(sweep.device));
}

CostPlan planCosts(const CostSweep& sweep, std::int64_t budget) {
  CostPlan plan;
  for (const std::string& mechanism :
       sweep.mechanisms.empty() ? defaultCostMechanisms() : sweep.mechanisms) {
    std::vector<int> along = positions(sweep, mechanism);
    std::sort(along.begin(), along.end());
    along.erase(std::unique(along.begin(), along.end()), along.end());
    for (const int position : along) {
      const CostRequest request = requestAt(sweep, mechanism, position);
      check(request);
      if (wholeMatrixBytes(request) > budget) {
        plan.leftOut.push_back(leftOutText(
            request, sweep.over, "its n x n matrices would take more than " + memoryText(budget)));
        break;
      }
      plan.points.push_back(request);
    }
  }
  return plan;
}

int positionOf(const CostRequest& request, CostOver over) {
  switch (over) {
    case CostOver::Channels:
      return request.channels;
    case CostOver::Heads:
      return request.heads;
    case CostOver::Tokens:
      break;
  }
  return request.tokens;
}

}  // namespace softscope
