#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace softscope {
namespace {

using test::Outcome;
using test::TemporaryFolder;

double correlation(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  const Eigen::ArrayXd x = a - a.mean();
  const Eigen::ArrayXd y = b - b.mean();
  return (x * y).sum() / std::sqrt(x.square().sum() * y.square().sum());
}

/// The mean correlation of the maps, mean over heads, of pairs of random queries.
double likeness(const FloatArray& attention) {
  const auto heads = static_cast<Eigen::Index>(attention.shape[0]);
  const auto queries = static_cast<Eigen::Index>(attention.shape[1]);
  const auto keys = static_cast<Eigen::Index>(attention.shape[2]);
  const auto mapOf = [&](Eigen::Index query) {
    Eigen::ArrayXd map = Eigen::ArrayXd::Zero(keys);
    for (Eigen::Index head = 0; head < heads; ++head) {
      const float* row = attention.values.data() + (head * queries + query) * keys;
      map += Eigen::Map<const Eigen::ArrayXf>(row, keys).cast<double>();
    }
    return map;
  };
  std::mt19937 random(1);
  std::uniform_int_distribution<Eigen::Index> any(0, queries - 1);
  constexpr int pairs = 200;
  double sum = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Eigen::Index first = any(random);
    const Eigen::Index second = (first + 1 + any(random) % (queries - 1)) % queries;
    sum += correlation(mapOf(first), mapOf(second));
  }
  return sum / pairs;
}

/// What the window begins with must change visibly with a click.
TEST(FirstSight, AnswersEveryQueryDifferently) {
  const std::string resources = std::string(SOFTSCOPE_SOURCE) + "/resources/";
  for (const char* picture : {"chelsea.png", "astronaut.jpg"}) {
    const TemporaryFolder folder;
    const Outcome outcome = test::softscope(
        "dump -m " + resources + "checkpoints/sima_xcit_everyday10.safetensors " + resources +
        "pictures/" + picture + " --layers blocks.3.attn -o " + (folder / "dump"));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const FloatArray attention = readNpy((folder / "dump") + "/blocks_3_attn.npy");
    ASSERT_EQ(attention.shape.size(), 3u);
    const double alike = likeness(attention);
    EXPECT_LT(alike, 0.8) << picture;
    EXPECT_GT(alike, -1) << picture;
  }
}

}  // namespace
}  // namespace softscope
