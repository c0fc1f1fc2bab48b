#include "core/image/PreparedPicture.h"
#include "core/inspect/TokenInspection.h"
#include "core/model/InputSize.h"
#include "models/OpenModel.h"
#include "tests/app/commands/Run.h"

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

class CkaFigure : public ::testing::Test {
 protected:
  /// A folder of six pictures: parts of the bundled ones, as a BMP of 24 bits each.
  CkaFigure() {
    fs::create_directories(folder_ / "pictures");
    for (int number = 0; number < 6; ++number) writePicture(number);
  }

  Outcome cka(const std::string& arguments) {
    return test::softscope("figure cka --size 64 " + arguments + " --data " +
                           (folder_ / "cka.csv"));
  }
  /// Returns the values by the two layers.
  std::map<std::pair<std::string, std::string>, double> values() {
    std::istringstream table(contentOf(folder_ / "cka.csv"));
    std::string line;
    std::getline(table, line);
    EXPECT_EQ(line, "model,layer,other_model,other_layer,cka,pictures");
    std::map<std::pair<std::string, std::string>, double> values;
    while (std::getline(table, line)) {
      std::istringstream text(line);
      std::string fields[6];
      for (std::string& field : fields) std::getline(text, field, ',');
      values[{fields[1], fields[3]}] = std::stod(fields[4]);
      EXPECT_EQ(fields[5], "6");
    }
    return values;
  }
  std::string model(const std::string& name) {
    return "-m " + std::string(SOFTSCOPE_SOURCE) + "/resources/checkpoints/" + name +
           "_everyday10.safetensors ";
  }

  TemporaryFolder folder_;

 private:
  /// Writes stripes and a gradient whose width and colour depend on the number.
  void writePicture(int number) {
    constexpr int side = 64;
    std::string pixels;
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        pixels += static_cast<char>((row * (number + 1) + column) % 251);
        pixels += static_cast<char>((column * (7 - number) + number * 31) % 241);
        pixels += static_cast<char>(((row / (number + 2)) % 2) * 200);
      }
    }
    std::string file = "BM";
    const auto add = [&](unsigned value, int bytes) {
      for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i));
    };
    add(static_cast<unsigned>(54 + pixels.size()), 4);
    add(0, 4);
    add(54, 4);
    add(40, 4);
    add(side, 4);
    add(side, 4);
    add(1, 2);
    add(24, 2);
    for (int i = 0; i < 6; ++i) add(0, 4);
    std::ofstream(folder_ / ("pictures/" + std::to_string(number) + ".bmp"), std::ios::binary)
        << file << pixels;
  }
};

TEST_F(CkaFigure, OfAModelWithItselfHasADiagonalOfOneAndIsSymmetric) {
  for (const char* of : {"mean", "all"}) {
    SCOPED_TRACE(of);
    const Outcome outcome = cka(model("softmax") + (folder_ / "pictures") + " --tokens-as " + of +
                                " -o " + (folder_ / "cka.svg"));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto found = values();
    ASSERT_EQ(found.size(), 64u) << "eight layers";
    for (const auto& [layers, value] : found) {
      if (layers.first == layers.second) {
        EXPECT_NEAR(value, 1, 1e-9);
      }
      EXPECT_NEAR(value, found.at({layers.second, layers.first}), 1e-9);
      EXPECT_LE(value, 1 + 1e-9);
    }
    EXPECT_THAT(contentOf(folder_ / "cka.svg"), HasSubstr("<svg"));
  }
}

/// HSIC's U-statistic over all ordered quadruples of different pictures.
double hsicByQuadruples(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second) {
  const Eigen::MatrixXd k = first * first.transpose();
  const Eigen::MatrixXd l = second * second.transpose();
  const auto n = static_cast<int>(k.rows());
  double sum = 0;
  int count = 0;
  for (int code = 0; code < n * n * n * n; ++code) {
    const std::set<int> pictures{code % n, code / n % n, code / n / n % n, code / n / n / n};
    if (pictures.size() < 4) continue;
    const int a = code % n;
    const int b = code / n % n;
    const int c = code / n / n % n;
    const int d = code / n / n / n;
    sum += k(a, b) * (l(a, b) + l(c, d) - 2 * l(a, c));
    ++count;
  }
  return sum / count;
}

TEST_F(CkaFigure, IsThatOfTheTokensBehindTheBlocks) {
  ModelRequest request;
  request.path =
      std::string(SOFTSCOPE_SOURCE) + "/resources/checkpoints/sima_xcit_everyday10.safetensors";
  const std::shared_ptr<const Model> opened = openModel(request);
  std::map<std::string, Eigen::MatrixXd> mean;
  std::map<std::string, Eigen::MatrixXd> all;
  for (int number = 0; number < 6; ++number) {
    const PreparedPicture prepared =
        preparePicture(readPicture(folder_ / ("pictures/" + std::to_string(number) + ".bmp")),
                       withInputSize(opened->summary().transform, *parseInputSize("64")));
    const auto inspected = inspectTokens(*opened, prepared.input);
    for (const LayerTokens& layer : inspected->layers) {
      const Eigen::MatrixXd tokens = layer.tokens.cast<double>();
      Eigen::MatrixXd& ofMean = mean[layer.layer];
      Eigen::MatrixXd& ofAll = all[layer.layer];
      ofMean.conservativeResize(number + 1, tokens.cols());
      ofAll.conservativeResize(number + 1, tokens.size());
      ofMean.row(number) = tokens.bottomRows(layer.grid.count()).colwise().mean();
      ofAll.row(number) = Eigen::Map<const Eigen::RowVectorXd>(tokens.data(), tokens.size());
    }
  }
  for (const bool whole : {false, true}) {
    SCOPED_TRACE(whole);
    const Outcome outcome =
        cka(model("sima_xcit") + (folder_ / "pictures") + (whole ? " --tokens-as all" : ""));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto& features = whole ? all : mean;
    for (const auto& [layers, value] : values()) {
      const Eigen::MatrixXd& first = features.at(layers.first);
      const Eigen::MatrixXd& second = features.at(layers.second);
      const double expected =
          hsicByQuadruples(first, second) /
          std::sqrt(hsicByQuadruples(first, first) * hsicByQuadruples(second, second));
      EXPECT_NEAR(value, expected, 1e-4) << layers.first << " " << layers.second;
    }
  }
}

TEST_F(CkaFigure, ComparesTwoModelsOverSomeLayers) {
  const Outcome outcome =
      cka(model("soft") + model("sima") + (folder_ / "pictures") + " --layer 'block[34].0*'");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(values().size(), 4u);
}

TEST_F(CkaFigure, SaysWhatItNeeds) {
  const std::string pictures = folder_ / "pictures";
  expectOneLine(cka(model("soft") + pictures + "/0.bmp " + pictures + "/1.bmp"), 1,
                "4 pictures or more");
  expectOneLine(cka(model("soft") + model("soft") + model("soft") + pictures), 2, "at most twice");
  expectOneLine(cka(model("soft") + pictures + " --layer nowhere"), 1, "nowhere");
  expectOneLine(cka(model("soft") + pictures + " --batch 2"), 2, "--batch");
}

TEST_F(CkaFigure, OverwritesNoPictureOfItsFolder) {
  const std::string cat = folder_ / "pictures/cat.png";
  fs::copy_file(std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png", cat);
  const std::string before = contentOf(cat);
  expectOneLine(cka(model("soft") + (folder_ / "pictures") + " -o " + cat), 1, "is read here");
  EXPECT_TRUE(contentOf(cat) == before);
}

TEST_F(CkaFigure, RefusesPicturesThatDoNotDiffer) {
  fs::create_directories(folder_ / "same");
  for (const char* name : {"a", "b", "c", "d"}) {
    fs::copy_file(folder_ / "pictures/0.bmp", folder_ / ("same/" + std::string(name) + ".bmp"));
  }
  fs::copy_file(folder_ / "pictures/1.bmp", folder_ / "same/other.bmp");
  expectOneLine(cka(model("softmax") + (folder_ / "same")), 1,
                "CKA is not defined for 64 of 64 pairs of layers");
  EXPECT_EQ(contentOf(folder_ / "cka.csv"), "");
}

}  // namespace
}  // namespace softscope
