#include "tests/models/attention/LastLayerRecorder.h"

#include "core/network/MapBuilder.h"

namespace softscope {

void LastLayerRecorder::record(AttentionRecord record) {
  layer_ = buildLayerInspection(record);
}

std::vector<float> rowsOf(const AttentionMap& map) {
  std::vector<float> values;
  for (int head = 0; head < map.description().heads; ++head) {
    for (int query = 0; query < map.description().queries; ++query) {
      const Vector row = map.row(head, query);
      values.insert(values.end(), row.data(), row.data() + row.size());
    }
  }
  return values;
}

std::vector<float> valuesOf(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kFloat32).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

}  // namespace softscope
