#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

/// The table of `figure sinks`, and the matrices that `dump` writes of the same model and picture.
class SinksFigure : public ::testing::Test {
 protected:
  /// Checks every row against the column sums of the dumped matrix. Returns the number of rows.
  int compare(const std::string& model) {
    const std::string common = "-m " + box_ + "checkpoints/" + model + ".safetensors " + box_ +
                               "pictures/chelsea.png --size 64 ";
    const Outcome dump = test::softscope("dump " + common + "-o " + (folder_ / model));
    EXPECT_EQ(dump.exitCode, 0) << dump.errors;
    const Outcome figure =
        test::softscope("figure sinks " + common + "--data " + (folder_ / "sinks.csv") + " -o " +
                        (folder_ / "sinks.svg"));
    EXPECT_EQ(figure.exitCode, 0) << figure.errors;
    std::istringstream table(contentOf(folder_ / "sinks.csv"));
    std::string line;
    std::getline(table, line);
    EXPECT_EQ(line,
              "model,layer,head,queries,keys,sink,sink_factor,key,token,row,column,sink_is_prefix,"
              "sink_value_norm");
    int rows = 0;
    for (; std::getline(table, line); ++rows) compareRow(model, line);
    return rows;
  }

 private:
  void compareRow(const std::string& model, std::string line) {
    // The token's name is the only quoted field: patch (1, 2).
    const auto quote = line.find('"');
    if (quote != std::string::npos) line.erase(quote, line.find('"', quote + 1) + 1 - quote);
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    std::string file = fields.at(1);
    std::ranges::replace(file, '.', '_');
    const FloatArray rows = readNpy(folder_ / (model + "/" + file + ".npy"));
    const auto queries = static_cast<std::size_t>(rows.shape.at(1));
    const auto keys = static_cast<std::size_t>(rows.shape.at(2));
    const std::size_t head = std::stoul(fields.at(2));
    std::vector<double> sums(keys);
    double all = 0;
    for (std::size_t query = 0; query < queries; ++query) {
      for (std::size_t key = 0; key < keys; ++key) {
        const double entry = std::abs(rows.values.at((head * queries + query) * keys + key));
        sums[key] += entry;
        all += entry;
      }
    }
    const double largest = *std::ranges::max_element(sums);
    EXPECT_NEAR(std::stod(fields.at(5)), largest / all, 1e-5 * largest / all) << line;
    EXPECT_NEAR(std::stod(fields.at(6)), largest / all * double(keys), 1e-4) << line;
    EXPECT_NEAR(sums.at(std::stoul(fields.at(7))), largest, 1e-5 * largest) << line;
  }

  const std::string box_ = std::string(SOFTSCOPE_SOURCE) + "/resources/";
  TemporaryFolder folder_;
};

TEST_F(SinksFigure, AreTheLargestColumnSumsOfEveryHeadOfEveryLayer) {
  // Signed factors, positive ones, and a softmax.
  for (const char* model : {"soft_everyday10", "performer_everyday10", "softmax_everyday10"}) {
    SCOPED_TRACE(model);
    EXPECT_GT(compare(model), 8);
  }
}

TEST_F(SinksFigure, LeaveOutAttentionBetweenChannels) {
  const std::string common = "figure sinks -m " + test::data("golden/xcit/checkpoint.pth") + " " +
                             test::data("golden/xcit/input.npy") + " ";
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope(common + "--data " + (folder / "sinks.csv"));
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("keys are channels"));
}

}  // namespace
}  // namespace softscope
