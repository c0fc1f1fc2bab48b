#include "core/array/Npy.h"
#include "tests/app/commands/Run.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string analysisSoft = "-m " + data("golden/soft/checkpoint.pth") + " ";
const std::string softNorm =
    "-m " + data("golden/soft_norm/checkpoint.pth") + " --attention soft++ ";
const std::string analysisTensor = data("golden/soft/input.npy");
const std::string analysisPicture =
    std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found;
  std::stringstream stream(line + ",");
  for (std::string field; std::getline(stream, field, ',');) found.push_back(field);
  return found;
}

/// The table that a figure of `arguments` writes.
std::vector<Row> tableOf(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string file = folder / "numbers.csv";
  const Outcome outcome = test::softscope("figure " + arguments + " --data " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  std::stringstream text(contentOf(file));
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> columns = fields(line);
  std::vector<Row> rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> values = fields(line);
    EXPECT_EQ(values.size(), columns.size()) << line;
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values[i];
    rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const std::string& column) {
  return std::strtod(row.at(column).c_str(), nullptr);
}

/// A head's matrix in a golden array [heads, rows, columns].
Eigen::MatrixXd headOf(const FloatArray& array, int head) {
  const auto rows = static_cast<Eigen::Index>(array.shape[1]);
  const auto columns = static_cast<Eigen::Index>(array.shape[2]);
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(array.values.data() + head * rows * columns, rows, columns)
      .cast<double>();
}

/// The row of a table that is about a head of a layer.
const Row& rowOf(const std::vector<Row>& rows, const std::string& layer, int head) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.at("layer") == layer && row.at("head") == std::to_string(head);
  });
  if (found == rows.end()) throw std::runtime_error("no row of " + layer);
  return *found;
}

TEST(OverviewFigure, NumbersAreThoseOfTheOfficialAttention) {
  const FloatArray golden = readNpy(data("golden/soft/block2_0_att_mha_attn.npy"));
  const std::vector<std::int64_t> input = readNpy(analysisTensor).shape;
  constexpr int patch = 8;  // of the second stage, in pixels
  const Eigen::Index width = input[3] / patch;
  const auto distances = tableOf("overview " + analysisSoft + analysisTensor);
  const auto entropies = tableOf("overview --measure entropy " + analysisSoft + analysisTensor);
  for (int head = 0; head < static_cast<int>(golden.shape[0]); ++head) {
    const Eigen::MatrixXd weights = headOf(golden, head).cwiseAbs();
    ASSERT_EQ(weights.rows(), input[2] / patch * width);
    double distance = 0;
    double entropy = 0;
    for (Eigen::Index query = 0; query < weights.rows(); ++query) {
      const Eigen::VectorXd p = weights.row(query) / weights.row(query).sum();
      for (Eigen::Index key = 0; key < weights.cols(); ++key) {
        const auto down = static_cast<double>(query / width - key / width);
        const auto across = static_cast<double>(query % width - key % width);
        distance += p[key] * patch * std::hypot(down, across);
        if (p[key] > 0) entropy -= p[key] * std::log(p[key]);
      }
    }
    const double queries = static_cast<double>(weights.rows());
    const double pixels = distance / queries;
    const double share = entropy / queries / std::log(static_cast<double>(weights.cols()));
    const std::string layer = "block2.0.att.mha.attn";
    EXPECT_NEAR(number(rowOf(distances, layer, head), "attention_distance"), pixels, 1e-4 * pixels);
    EXPECT_NEAR(number(rowOf(entropies, layer, head), "entropy"), share, 1e-4);
  }
}

TEST(OverviewFigure, EntriesAreThoseOfTheOfficialAttention) {
  const auto rows = tableOf("overview --measure entries -m " + data("golden/sima/checkpoint.pth") +
                            " " + data("golden/sima/input.npy"));
  for (const std::string layer : {"blocks.1.attn", "cls_attn_blocks.0.attn"}) {
    std::string file = layer;
    std::replace(file.begin(), file.end(), '.', '_');
    const FloatArray golden = readNpy(data("golden/sima/" + file + ".npy"));
    for (int head = 0; head < static_cast<int>(golden.shape[0]); ++head) {
      const Eigen::MatrixXd entries = headOf(golden, head);
      const Row& row = rowOf(rows, layer, head);
      const double tolerance = 1e-4 * entries.cwiseAbs().maxCoeff();
      EXPECT_NEAR(number(row, "smallest_entry"), entries.minCoeff(), tolerance);
      EXPECT_NEAR(number(row, "largest_entry"), entries.maxCoeff(), tolerance);
      EXPECT_EQ(number(row, "entry_bound"), 32) << "the channels of a head";
    }
  }
}

TEST(OverviewFigure, SaysWhereThereIsNothingToMeasure) {
  const TemporaryFolder folder;
  const Outcome outcome = test::softscope(
      "figure overview -m " + data("golden/xcit/checkpoint.pth") + " --attention xca_channel " +
      data("golden/xcit/input.npy") + " --layer 'blocks.*' -o " + (folder / "overview.svg"));
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("no head looks from patches to patches"));
}

TEST(SpectrumFigure, SingularValuesAreThoseOfTheOfficialAttention) {
  const FloatArray golden = readNpy(data("golden/soft/block2_0_att_mha_attn.npy"));
  const auto rows =
      tableOf("spectrum " + analysisSoft + analysisTensor + " --layer block2.0.att.mha.attn");
  for (int head = 0; head < static_cast<int>(golden.shape[0]); ++head) {
    const Eigen::VectorXd expected = headOf(golden, head).bdcSvd().singularValues();
    int found = 0;
    for (const Row& row : rows) {
      if (row.at("head") != std::to_string(head)) continue;
      EXPECT_EQ(row.at("model"), "checkpoint");
      EXPECT_EQ(row.at("index"), std::to_string(found));
      EXPECT_NEAR(number(row, "singular_value"), expected[found], 1e-4 * expected[0]);
      ++found;
    }
    EXPECT_GE(found, 5);
  }
}

TEST(SpectrumFigure, IsOfTheMatrixThatWasAskedFor) {
  const FloatArray golden = readNpy(data("golden/soft/block2_0_att_mha_attn.A.npy"));
  const auto rows = tableOf("spectrum " + analysisSoft + analysisTensor +
                            " --layer block2.0.att.mha.attn --of bottleneck");
  const Eigen::VectorXd expected = headOf(golden, 0).bdcSvd().singularValues();
  ASSERT_GE(rows.size(), static_cast<std::size_t>(expected.size()));
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(number(rows[std::size_t(i)], "singular_value"), expected[i], 1e-4 * expected[0]);
  }
}

TEST(SpectrumFigure, SignsAreThoseOfTheOfficialAttention) {
  const FloatArray golden = readNpy(data("golden/soft/block2_0_att_mha_attn.npy"));
  const auto rows =
      tableOf("spectrum " + analysisSoft + analysisTensor + " --layer block2.0.att.mha.attn");
  for (int head = 0; head < static_cast<int>(golden.shape[0]); ++head) {
    const Eigen::MatrixXd matrix = headOf(golden, head);
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (matrix + matrix.transpose()))
            .eigenvalues();
    const double largest = values.cwiseAbs().maxCoeff();
    // What is far from float32's rounding of the largest has a sign.
    const auto negative = (values.array() < -1e-4 * largest).count();
    Eigen::Index found = 0;
    for (const Row& row : rows) {
      if (row.at("head") != std::to_string(head)) continue;
      const double real = number(row, "eigenvalue_real");
      EXPECT_NEAR(std::abs(real), number(row, "eigenvalue_abs"), 1e-12 * largest);
      if (std::abs(real) <= 1e-4 * largest) continue;
      EXPECT_EQ(number(row, "eigenvalue_sign"), real < 0 ? -1 : 1);
      EXPECT_LT((values.array() - real).abs().minCoeff(), 1e-4 * largest);
      found += real < 0 ? 1 : 0;
    }
    EXPECT_EQ(found, negative);
  }
}

TEST(ConvergenceFigure, EndsWhereTheCodeEnds) {
  // After the code's 20 steps the residual against A is that of the inverse it left.
  const auto rows = tableOf("convergence " + analysisSoft + analysisTensor +
                            " --layer block2.0.att.mha.attn --iterations 20 --float32");
  const FloatArray kernels = readNpy(data("golden/soft/block2_0_att_mha_attn.A.npy"));
  const FloatArray inverses = readNpy(data("golden/soft/block2_0_att_mha_attn.A_inv.npy"));
  for (int head = 0; head < static_cast<int>(kernels.shape[0]); ++head) {
    const Eigen::MatrixXd kernel = headOf(kernels, head);
    const Eigen::MatrixXd inverse = headOf(inverses, head);
    const Eigen::MatrixXd left = kernel * inverse * kernel - kernel;
    const double expected = left.bdcSvd().singularValues()[0] / kernel.bdcSvd().singularValues()[0];
    int found = 0;
    for (const Row& row : rows) {
      if (row.at("head") != std::to_string(head) || row.at("iteration") != "20") continue;
      EXPECT_EQ(row.at("residual_falls"), "1");
      EXPECT_EQ(row.at("scheme"), "released");
      EXPECT_NEAR(number(row, "residual_raw"), expected, 0.01 * expected)
          << "float32 near its floor";
      ++found;
    }
    EXPECT_EQ(found, 1);
  }
}

TEST(NormsFigure, ReleasedNormsAreThoseOfTheOfficialInverse) {
  const auto rows = tableOf("norms " + softNorm + data("golden/soft_norm/input.npy") +
                            " --layer block2.0.att.mha.attn");
  const FloatArray inverses = readNpy(data("golden/soft_norm/block2_0_att_mha_attn.A_inv.npy"));
  const FloatArray attention = readNpy(data("golden/soft_norm/block2_0_att_mha_attn.npy"));
  for (int head = 0; head < static_cast<int>(inverses.shape[0]); ++head) {
    const Row& released = rows[static_cast<std::size_t>(2 * head)];
    EXPECT_EQ(released.at("inverse"), "released");
    const double inverse = headOf(inverses, head).bdcSvd().singularValues()[0];
    const double norm = headOf(attention, head).bdcSvd().singularValues()[0];
    EXPECT_NEAR(number(released, "norm_pinv"), inverse, 1e-3 * inverse);
    EXPECT_NEAR(number(released, "norm_softpp"), norm, 1e-3 * norm);
  }
}

TEST(NormsFigure, ASweepHasARowForEverySize) {
  const auto rows = tableOf("norms " + analysisSoft + analysisPicture +
                            " --layer block3.0* --sizes 64,96 --rcond 1e-8");
  std::map<std::string, int> sizes;
  for (const Row& row : rows) ++sizes[row.at("height") + "/" + row.at("landmarks")];
  EXPECT_EQ(sizes.size(), 2u);
  EXPECT_EQ(rows.back().at("rcond"), "1e-08");
}

TEST(NormsFigure, ATensorIsSweptOverItselfAndNotOverWhatIsDrawnOfIt) {
  const TemporaryFolder folder;
  const std::string tensor = folder / "wide.npy";
  FloatArray input = readNpy(analysisTensor);
  // Beyond what the 8 bits of a picture can hold.
  for (float& value : input.values) value *= 3;
  // The squares at the left of rows that are wider.
  const std::int64_t side = input.shape[2];
  const std::int64_t width = input.shape[3];
  ASSERT_GE(width, side);
  std::vector<float> square;
  for (auto row = input.values.begin(); row != input.values.end(); row += width) {
    square.insert(square.end(), row, row + side);
  }
  input.values.assign(square.begin(), square.end());
  input.shape[3] = input.shape[2];
  writeNpy(tensor, input);
  const std::string arguments = "norms " + softNorm + tensor + " --layer block2.0.att.mha.attn";
  const auto whole = tableOf(arguments);
  const auto swept = tableOf(arguments + " --sizes " + std::to_string(side));
  ASSERT_EQ(swept.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char* norm : {"condition", "norm_soft", "norm_softpp"}) {
      EXPECT_NEAR(number(swept[i], norm), number(whole[i], norm),
                  1e-6 * std::abs(number(whole[i], norm)));
    }
  }
}

TEST(NormsFigure, SaysThatSizesTakeThePlaceOfASize) {
  const TemporaryFolder folder;
  const Outcome outcome =
      test::softscope("figure norms " + analysisSoft + analysisPicture +
                      " --layer block3.0* --size 64 --sizes 64,96 --data " + (folder / "n.csv"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("--size is passed over: --sizes are the sizes"));
}

TEST(AnalysisFigure, LeavesOutLayersWhereItIsNotDefined) {
  const TemporaryFolder folder;
  const std::string file = folder / "convergence.pdf";
  const Outcome some = test::softscope("figure convergence " + analysisSoft + analysisTensor +
                                       " --layer all -o " + file);
  EXPECT_EQ(some.exitCode, 0);
  EXPECT_THAT(some.errors, HasSubstr("block4.0.attn is left out"));
  EXPECT_EQ(some.errorLines(), 1);
  EXPECT_THAT(contentOf(file), StartsWith("%PDF"));
  const Outcome none = test::softscope("figure convergence " + analysisSoft + analysisTensor +
                                       " --layer block4.0.attn -o " + file);
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_THAT(none.errors, HasSubstr("no bottleneck matrix"));
  EXPECT_EQ(none.errorLines(), 1);
}

TEST(AnalysisFigure, NamesTheModelThatHasNoWeightsToRunWith) {
  const TemporaryFolder folder;
  const Outcome dumped =
      test::softscope("dump " + analysisSoft + analysisTensor + " -o " + (folder / "recorded"));
  ASSERT_EQ(dumped.exitCode, 0) << dumped.errors;
  const std::string both = analysisSoft + "-m " + (folder / "recorded ") + analysisTensor;
  for (const std::string& figure : {"norms " + both + " --sizes 64,96", "tokens " + both}) {
    const Outcome outcome = test::softscope("figure " + figure + " --data " + (folder / "n.json"));
    EXPECT_EQ(outcome.exitCode, 1) << figure;
    EXPECT_THAT(outcome.errors, HasSubstr("recorded: a recording holds no weights")) << figure;
  }
}

TEST(AnalysisFigure, WrongCommandLinesExitWith2) {
  for (const std::string& arguments :
       {"spectrum " + analysisSoft + analysisTensor + " -o /tmp/x.png --of nothing",
        "spectrum " + analysisSoft + analysisTensor + " --data /tmp/x.npz",
        "heads " + analysisSoft + analysisTensor + " -o /tmp/x.png --of bottleneck",
        "spectrum " + analysisSoft + analysisTensor + " -o /tmp/x.png --linked-scales",
        "norms " + analysisSoft + analysisTensor + " -o /tmp/x.png --sizes 2,3",
        "convergence " + analysisSoft + analysisTensor + " -o /tmp/x.png --scheme euler",
        "convergence " + analysisSoft + analysisTensor + " -o /tmp/x.png --iterations 0",
        "spectrum " + analysisTensor + " -o /tmp/x.png",
        "spectrum " + analysisSoft + " -o /tmp/x.png",
        "spectra " + analysisSoft + analysisTensor + " -o /tmp/x.png"}) {
    const Outcome outcome = test::softscope("figure " + arguments);
    EXPECT_EQ(outcome.exitCode, 2) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
}

}  // namespace
}  // namespace softscope
