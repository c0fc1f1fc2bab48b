#include "core/attention/MatrixStack.h"

#include <algorithm>
#include <cassert>

namespace softscope {

MatrixStack::MatrixStack(const std::vector<Matrix>& matrices)
    : count_(static_cast<int>(matrices.size())),
      rows_(matrices.empty() ? 0 : static_cast<int>(matrices.front().rows())),
      columns_(matrices.empty() ? 0 : static_cast<int>(matrices.front().cols())) {
  auto values = std::make_shared<std::vector<float>>();
  values->reserve(bytes() / sizeof(float));
  for (const Matrix& matrix : matrices) {
    assert(matrix.rows() == rows_ && matrix.cols() == columns_);
    values->insert(values->end(), matrix.data(), matrix.data() + matrix.size());
  }
  values_ = std::shared_ptr<const float>(values, values->data());
}

}  // namespace softscope
