#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/StencilMap.h"
#include "core/attention/SumMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;
using test::relativeDifference;
using test::wholeMatrix;

constexpr int productTokens = 6 * 5;

AttentionDescription productDescription() {
  AttentionDescription description;
  description.queryGrid = TokenGrid{6, 5};
  return description;
}

std::vector<std::shared_ptr<const AttentionMap>> productMaps() {
  const auto factored =
      std::make_shared<FactoredMap>(productDescription(), randomStack(2, productTokens, 4, 1),
                                    randomStack(2, 4, 4, 3), randomStack(2, productTokens, 4, 5));
  const auto plain =
      std::make_shared<FactoredMap>(productDescription(), randomStack(2, productTokens, 4, 7),
                                    MatrixStack(), randomStack(2, 11, 4, 9));
  const auto stencil = std::make_shared<StencilMap>(productDescription(), randomStack(2, 3, 3, 11));
  const auto dense = std::make_shared<DenseMap>(productDescription(),
                                                randomStack(2, productTokens, productTokens, 13));
  return {factored,
          plain,
          stencil,
          dense,
          std::make_shared<SumMap>(factored, stencil),
          std::make_shared<SumMap>(dense, stencil)};
}

TEST(MapProduct, IsThatOfTheWholeMatrix) {
  for (const auto& map : productMaps()) {
    const Eigen::MatrixXd whole = wholeMatrix(*map, 1);
    const Progress progress;
    const auto product = mapProduct(*map, 1, 0, progress);
    ASSERT_EQ(product->rows(), whole.rows());
    ASSERT_EQ(product->columns(), whole.cols());
    const Eigen::VectorXd x = randomMatrix(product->columns(), 1, 2).cast<double>();
    const Eigen::VectorXd y = randomMatrix(product->rows(), 1, 4).cast<double>();
    EXPECT_LT(relativeDifference(product->times(x), whole * x), 1e-6);
    EXPECT_LT(relativeDifference(product->transposedTimes(y), whole.transpose() * y), 1e-6);
  }
}

TEST(MapProduct, StopsWhenAsked) {
  for (const auto& map : productMaps()) {
    Progress progress;
    const auto product = mapProduct(*map, 0, 0, progress);
    const Eigen::VectorXd x = Eigen::VectorXd::Ones(product->columns());
    EXPECT_NO_THROW(product->times(x));
    progress.cancel();
    EXPECT_THROW(product->times(x), Cancelled);
  }
}

}  // namespace
}  // namespace softscope
