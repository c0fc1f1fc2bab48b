#include "core/array/Npy.h"
#include "core/array/Npz.h"
#include "tests/app/commands/Run.h"

#include <Eigen/SVD>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

// The numbers behind figures, which builds without a window write, too.

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string numbersModel = "-m " + data("golden/soft/checkpoint.pth") + " ";
const std::string numbersInput = data("golden/soft/input.npy") + " ";
const std::string numbersLayer = "block2.0.att.mha.attn";

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A head of what the authors' code computed in a layer of the second stage, [queries, keys].
Eigen::MatrixXd officialMatrix(const std::string& layer, int head) {
  const FloatArray array = readNpy(data("golden/soft/" + layer + "_att_mha_attn.npy"));
  const auto rows = static_cast<Eigen::Index>(array.shape[1]);
  const auto columns = static_cast<Eigen::Index>(array.shape[2]);
  return Eigen::Map<const RowMajor>(array.values.data() + head * rows * columns, rows, columns)
      .cast<double>();
}

/// The lines of a kind's table, without the first, cut at commas.
std::vector<std::vector<std::string>> tableLines(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string file = folder / "numbers.csv";
  const Outcome outcome = test::softscope("figure " + arguments + " --data " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  std::istringstream text(contentOf(file));
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(text, line);) {
    std::istringstream parts(line);
    lines.emplace_back();
    for (std::string part; std::getline(parts, part, ',');) lines.back().push_back(part);
  }
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

NamedArrays arraysOf(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string file = folder / "numbers.npz";
  const Outcome outcome = test::softscope("figure " + arguments + " --data " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, file + "\n");
  return outcome.exitCode == 0 ? readNpz(file) : NamedArrays();
}

/// The array whose name has all of `parts`.
FloatArray arrayWith(const NamedArrays& arrays, const std::vector<std::string>& parts) {
  for (const auto& [name, array] : arrays) {
    bool has = true;
    for (const std::string& part : parts) has = has && name.find(part) != std::string::npos;
    if (has) return array;
  }
  ADD_FAILURE() << "no array with " << parts.front() << " in its name";
  return {};
}

constexpr int patchRow = 3;
constexpr int patchColumn = 4;
constexpr int gridWidth = 16;
constexpr Eigen::Index patchToken = patchRow * gridWidth + patchColumn;

void expectPatches(const FloatArray& written, const Eigen::VectorXd& expected) {
  EXPECT_THAT(written.shape, ElementsAre(12, gridWidth));
  ASSERT_EQ(written.values.size(), static_cast<std::size_t>(expected.size()));
  const double scale = expected.cwiseAbs().maxCoeff();
  ASSERT_GT(scale, 0);
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(written.values[static_cast<std::size_t>(i)], expected[i], 1e-4 * scale) << i;
  }
}

TEST(FigureNumbers, HeadsAreRowsOfTheOfficialMatrix) {
  const NamedArrays arrays = arraysOf("heads " + numbersModel + numbersInput + "--layer " +
                                      numbersLayer + " --query 3,4 --head 1 --head mean");
  ASSERT_EQ(arrays.size(), 2u);
  const Eigen::VectorXd first = officialMatrix("block2_0", 0).row(patchToken);
  const Eigen::VectorXd second = officialMatrix("block2_0", 1).row(patchToken);
  expectPatches(arrayWith(arrays, {"row_3_4.head_1"}), second);
  expectPatches(arrayWith(arrays, {"row_3_4.mean"}), (first + second) / 2);
}

TEST(FigureNumbers, DifferencesAreOfTwoOfficialMatrices) {
  const NamedArrays arrays = arraysOf("compare " + numbersModel + numbersModel + numbersInput +
                                      "--layer block2.0.att.mha.attn --layer block2.1.att.mha.attn "
                                      "--query 3,4 --head 0 --difference raw");
  ASSERT_EQ(arrays.size(), 3u);
  const Eigen::VectorXd expected =
      officialMatrix("block2_0", 0).row(patchToken) - officialMatrix("block2_1", 0).row(patchToken);
  expectPatches(arrayWith(arrays, {"_minus_", "head_0"}), expected);
}

TEST(FigureNumbers, DeletionBeginsAtTheOfficialProbability) {
  const std::vector<float> logits = readNpy(data("golden/soft/logits.npy")).values;
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - logits[1]));
  int whole = 0;
  for (const auto& line :
       tableLines("deletion --class 1 --steps 2 --random 1 " + numbersModel + numbersInput)) {
    const bool isWhole = line.at(2) == "deletion" ? line.at(3) == "0" : line.at(3) == "1";
    if (!isWhole) continue;
    EXPECT_NEAR(std::stod(line.at(4)), 1 / sum, 1e-4);
    EXPECT_EQ(line.at(9), "1");
    ++whole;
  }
  // Saliency, whose queries are the keys or not, rollout, received and chance: two curves each.
  EXPECT_GE(whole, 8);
}

TEST(FigureNumbers, EntropiesAreThoseOfTheOfficialMatrix) {
  int found = 0;
  for (const auto& line : tableLines("overview --measure entropy " + numbersModel + numbersInput)) {
    if (line.at(1) != numbersLayer) continue;
    const Eigen::MatrixXd weights = officialMatrix("block2_0", std::stoi(line.at(2))).cwiseAbs();
    double entropy = 0;
    for (Eigen::Index query = 0; query < weights.rows(); ++query) {
      const Eigen::VectorXd p = weights.row(query) / weights.row(query).sum();
      for (const double share : p) entropy -= share > 0 ? share * std::log(share) : 0;
    }
    entropy /= static_cast<double>(weights.rows()) * std::log(double(weights.cols()));
    EXPECT_NEAR(std::stod(line.at(3)), entropy, 1e-4);
    ++found;
  }
  EXPECT_EQ(found, 2) << "heads";
}

TEST(FigureNumbers, SingularValuesAreThoseOfTheOfficialMatrix) {
  const Eigen::VectorXd expected = officialMatrix("block2_0", 1).bdcSvd().singularValues();
  Eigen::Index found = 0;
  for (const auto& line :
       tableLines("spectrum " + numbersModel + numbersInput + "--layer " + numbersLayer)) {
    if (line.at(2) != "1") continue;
    ASSERT_LT(found, expected.size());
    EXPECT_NEAR(std::stod(line.at(4)), expected[found], 1e-4 * expected[0]);
    ++found;
  }
  EXPECT_GE(found, 5);
}

TEST(FigureNumbers, BottleneckMatricesAreTheOfficialOnes) {
  const FloatArray expected = readNpy(data("golden/soft/block2_0_att_mha_attn.A.npy"));
  const FloatArray written = arrayWith(
      arraysOf("bottleneck " + numbersModel + numbersInput + "--layer " + numbersLayer), {".A"});
  ASSERT_EQ(written.values.size() * 2, expected.values.size()) << "head 0 of two";
  for (std::size_t i = 0; i < written.values.size(); ++i) {
    EXPECT_NEAR(written.values[i], expected.values[i], 1e-4);
  }
}

TEST(FigureNumbers, NormsAreSweptOverSizesOfTheTensorsPicture) {
  int sizes = 0;
  for (const auto& line : tableLines("norms " + numbersModel + numbersInput +
                                     "--layer block1.0.att.mha.attn --sizes 64,128 --head 0")) {
    EXPECT_EQ(line.at(1), "block1.0.att.mha.attn");
    ++sizes;
  }
  EXPECT_GE(sizes, 4) << "two sizes of two heads";
}

TEST(FigureNumbers, CostsAreMeasuredInProcessesOfTheirOwn) {
  const auto lines = tableLines("cost --mechanisms softmax,sima --tokens 64 --threads 1");
  ASSERT_EQ(lines.size(), 2u);
  for (const auto& line : lines) EXPECT_GT(std::stod(line.at(5)), 0) << "milliseconds";
}

#ifndef SOFTSCOPE_HAS_GUI
TEST(FigureNumbers, AFigureIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope("figure heads " + numbersModel + numbersInput + "-o " +
                                          (folder / "a.svg") + " --data " + (folder / "a.npz"));
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("this build has no figures; leave out -o"));
  EXPECT_EQ(contentOf(folder / "a.npz"), "");
  const std::string help = test::softscope("figure --help").output;
  EXPECT_THAT(help, HasSubstr("--data"));
  EXPECT_THAT(help, Not(HasSubstr("--colormap")));
  EXPECT_THAT(help, Not(HasSubstr("--width")));
  EXPECT_THAT(help, Not(HasSubstr("--output")));
}
#endif

}  // namespace
}  // namespace softscope
