#include "models/layers/LandmarkGrid.h"

namespace softscope {

void describeLandmarks(AttentionDescription& description, int ratio) {
  const TokenGrid& grid = *description.queryGrid;
  description.landmarkGrid = TokenGrid{grid.height / ratio, grid.width / ratio};
  description.landmarks = description.landmarkGrid->count();
  description.parameters["ratio"] = ratio;
}

}  // namespace softscope
