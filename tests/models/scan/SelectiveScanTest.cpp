#include "core/attention/ProductMap.h"
#include "core/network/MapBuilder.h"
#include "models/scan/SelectiveScan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace softscope {
namespace {

/// A channel's map times the channel's values is the scan's result for that channel.
TEST(SelectiveScan, IsEachChannelsMapTimesItsValues) {
  const c10::InferenceMode inference;
  torch::manual_seed(1);
  const int tokens = 23;
  const int channels = 5;
  const torch::Tensor values = torch::randn({2, 3, tokens, channels});
  const SelectiveScan scan = projectSelectiveScan(
      values, torch::randn({3, 2 + 2 * 4, channels}), torch::randn({3, channels, 2}),
      torch::randn({3, channels}), torch::randn({3, channels, 4}));
  const torch::Tensor result = scanSelectively(scan, values, nullptr);

  std::vector<int> order(tokens);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int>> orders(3, order);
  std::reverse(orders[1].begin(), orders[1].end());
  std::rotate(orders[2].begin(), orders[2].begin() + 9, orders[2].end());
  const LayerInspection layer =
      buildLayerInspection({.layer = "scan", .description = {}, .map = mapOfScans(scan, orders)});
  const auto& map = dynamic_cast<const ChannelMeanMap&>(*layer.attention);
  EXPECT_EQ(map.description().heads, 3);
  EXPECT_EQ(map.description().meanOfChannels, channels);
  for (int head = 0; head < 3; ++head) {
    for (int channel = 0; channel < channels; ++channel) {
      Eigen::VectorXd x(tokens);
      Eigen::VectorXd expected(tokens);
      for (int place = 0; place < tokens; ++place) {
        const int token = orders[static_cast<std::size_t>(head)][static_cast<std::size_t>(place)];
        x[token] = values[0][head][place][channel].item<double>();
        expected[token] = result[0][head][place][channel].item<double>();
      }
      const Eigen::VectorXd product = map.ofChannel(channel)->times(head, x);
      EXPECT_LT((product - expected).norm(), 1e-5 * expected.norm()) << head << " " << channel;
    }
  }
}

}  // namespace
}  // namespace softscope
