#include "core/analysis/Cost.h"

#include "core/Error.h"

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

struct Mechanism {
  const char* name;
  const char* text;
  bool quadratic;
  bool storesMatrix;
  bool landmarks;
};

constexpr Mechanism mechanisms[] = {
    {"softmax", "softmax, its n × n matrix at once", true, true, false},
    {"softmax_strips", "softmax in strips of queries", true, false, false},
    {"soft", "SOFT", false, false, true},
    {"soft++", "SOFT++", false, false, true},
    {"nystromformer", "Nyströmformer", false, false, true},
    {"linformer", "Linformer", false, false, true},
    {"performer", "Performer", false, false, false},
    {"sima", "SimA as Q (K^T V)", false, false, false},
    {"sima_quadratic", "SimA as (Q K^T) V", true, true, false},
    {"elu", "linear attention, ELU", false, false, false},
    {"efficient", "Efficient attention", false, false, false},
    {"cosformer", "CosFormer", false, false, false},
    {"nonlocal_scaled", "scaled non-local", false, false, false},
};

const Mechanism& find(const std::string& name) {
  for (const Mechanism& mechanism : mechanisms) {
    if (mechanism.name == name) return mechanism;
  }
  std::string known;
  for (const Mechanism& mechanism : mechanisms) {
    known += (known.empty() ? "" : ", ") + std::string(mechanism.name);
  }
  throw InspectionError("there is no mechanism \"" + name + "\" to measure; there are " + known);
}

/// SOFT's Figure 1b: 784 p.
std::vector<int> defaultTokens(CostScope scope, const std::string& mechanism) {
  std::vector<int> tokens;
  const int steps = scope == CostScope::Vit12 ? 4 : 8;
  for (int p = 1; p <= steps; ++p) tokens.push_back(784 * p);
  if (scope == CostScope::Vit12 || isQuadratic(mechanism)) return tokens;
  tokens.insert(tokens.end(), {12544, 25088, 65536});
  return tokens;
}

/// Where Q (K^T V) and (Q K^T) V cross: about as many tokens as a head has channels.
const std::vector<int> fewTokens = {8, 16, 32, 64, 128, 256};

bool isSima(const std::string& mechanism) {
  return mechanism == "sima" || mechanism == "sima_quadratic";
}

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
  if (sweep.scope == CostScope::Attention && isSima(mechanism)) {
    tokens.insert(tokens.begin(), fewTokens.begin(), fewTokens.end());
  }
  return tokens;
}

CostRequest requestAt(const CostSweep& sweep, const std::string& mechanism, int position) {
  CostRequest request;
  request.scope = sweep.scope;
  request.mechanism = mechanism;
  request.threads = sweep.threads;
  // Channels and heads are compared where tokens weigh: SOFT's first stage.
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
  const Mechanism& mechanism = find(request.mechanism);
  if (request.tokens < 1 || request.channels < 1 || request.heads < 1) {
    throw InspectionError("tokens, channels and heads are at least 1");
  }
  if (request.channels % request.heads != 0) {
    throw InspectionError(std::to_string(request.heads) + " heads do not divide " +
                          std::to_string(request.channels) + " channels");
  }
  if (mechanism.landmarks && request.tokens < costLandmarks) {
    throw InspectionError(request.mechanism + " has " + std::to_string(costLandmarks) +
                          " landmarks; give it at least as many tokens, not " +
                          std::to_string(request.tokens));
  }
}

std::string leftOutText(const CostRequest& first, CostOver over) {
  return first.mechanism + " is left out from " + std::to_string(positionOf(first, over)) + " " +
         overName(over) + " on: its n x n matrices would take more than " +
         std::to_string(costMemoryBudget >> 30) + " GiB";
}

}  // namespace

std::string scopeName(CostScope scope) {
  return scope == CostScope::Vit12 ? "vit12" : "attention";
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
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Mechanism& mechanism : mechanisms) all.emplace_back(mechanism.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& defaultCostMechanisms() {
  static const std::vector<std::string> names = {"softmax",   "softmax_strips", "soft",
                                                 "soft++",    "nystromformer",  "linformer",
                                                 "performer", "sima",           "sima_quadratic"};
  return names;
}

std::string costMechanismText(const std::string& mechanism) {
  return find(mechanism).text;
}

bool isQuadratic(const std::string& mechanism) {
  return find(mechanism).quadratic;
}

std::int64_t wholeMatrixBytes(const CostRequest& request) {
  if (!find(request.mechanism).storesMatrix) return 0;
  const std::int64_t copies = isSima(request.mechanism) ? 1 : 2;
  return copies * request.heads * std::int64_t{request.tokens} * request.tokens *
         static_cast<std::int64_t>(sizeof(float));
}

CostPlan planCosts(const CostSweep& sweep) {
  CostPlan plan;
  for (const std::string& mechanism :
       sweep.mechanisms.empty() ? defaultCostMechanisms() : sweep.mechanisms) {
    std::vector<int> along = positions(sweep, mechanism);
    std::sort(along.begin(), along.end());
    along.erase(std::unique(along.begin(), along.end()), along.end());
    for (const int position : along) {
      const CostRequest request = requestAt(sweep, mechanism, position);
      check(request);
      if (wholeMatrixBytes(request) > costMemoryBudget) {
        plan.leftOut.push_back(leftOutText(request, sweep.over));
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
