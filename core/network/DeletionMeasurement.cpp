#include "core/Error.h"
#include "core/analysis/deletion/PatchRemover.h"
#include "core/network/Measurements.h"
#include "core/network/NetworkRun.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace softscope {

namespace {

double softmaxOf(const std::vector<float>& logits, int classIndex) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  const auto index = static_cast<std::size_t>(classIndex);
  return std::exp(static_cast<double>(logits[index]) - largest) / sum;
}

std::vector<int> indicesOf(const std::vector<bool>& kept) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) indices.push_back(static_cast<int>(i));
  }
  return indices;
}

double checkedProbability(const std::vector<float>& logits, int classIndex) {
  if (logits.empty()) {
    throw InspectionError("this model is a backbone without a head: it has no class to follow");
  }
  if (classIndex < 0 || static_cast<std::size_t>(classIndex) >= logits.size()) {
    throw InspectionError("this model has no class " + std::to_string(classIndex) +
                          "; its classes are 0 to " + std::to_string(logits.size() - 1));
  }
  return softmaxOf(logits, classIndex);
}

}  // namespace

std::vector<DeletionCurves> measureDeletion(const Model& model, const InputTensor& input,
                                            const DeletionRequest& request,
                                            const Progress& progress) {
  const int index = request.classIndex;
  if (request.removal == PatchRemoval::Tokens) {
    return followOrders(
        request.orders, request.steps,
        [&](const std::vector<bool>& kept) {
          return checkedProbability(runNetworkOnTokens(model, input, indicesOf(kept)), index);
        },
        progress, request.followed);
  }
  const PatchRemover remover(input, request.grid, request.removal);
  return followOrders(
      request.orders, request.steps,
      [&](const std::vector<bool>& kept) {
        return checkedProbability(runNetwork(model, remover.with(kept), nullptr), index);
      },
      progress, request.followed);
}

}  // namespace softscope
