#include "models/layers/LandmarkGrid.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// Returns the weights that average tokens into landmarks: [m, n].
torch::Tensor landmarkWeights(const LandmarkTokens& landmarks, std::int64_t tokens) {
  torch::Tensor weights = at::zeros({landmarks.count(), tokens}, at::kDouble);
  auto values = weights.accessor<double, 2>();
  for (std::size_t i = 0; i < landmarks.groups.size(); ++i) {
    const std::vector<int>& group = landmarks.groups[i];
    for (const int token : group) {
      values[static_cast<std::int64_t>(i)][token] = 1.0 / static_cast<double>(group.size());
    }
  }
  return weights;
}

}  // namespace

void describeLandmarks(AttentionDescription& description, int ratio) {
  const TokenGrid& grid = *description.queryGrid;
  description.landmarkGrid = TokenGrid{grid.height / ratio, grid.width / ratio};
  description.landmarks = description.landmarkGrid->count();
  description.parameters["ratio"] = ratio;
}

void describeLandmarks(AttentionDescription& description, const LandmarkTokens& landmarks) {
  description.landmarkGrid = landmarks.grid;
  description.landmarks = landmarks.count();
  description.landmarkTokens = landmarks.groups;
}

std::optional<LandmarkTokens> chosenLandmarks(const LandmarkChoice& choice, const TokenGrid& grid,
                                              int ratio, const std::string& layer) {
  if (choice.isTrained()) return std::nullopt;
  return chosenTokens(choice, grid, windowTokens(grid, ratio), layer);
}

torch::Tensor landmarkMeans(const torch::Tensor& tokens, const LandmarkTokens& landmarks) {
  const bool single = std::all_of(landmarks.groups.begin(), landmarks.groups.end(),
                                  [](const auto& group) { return group.size() == 1; });
  if (!single) {
    return at::matmul(landmarkWeights(landmarks, tokens.size(-2)).to(tokens.options()), tokens);
  }
  std::vector<std::int64_t> indices;
  for (const std::vector<int>& group : landmarks.groups) indices.push_back(group.front());
  return tokens.index_select(-2, at::tensor(indices, at::kLong).to(tokens.device()));
}

}  // namespace softscope
