#include "core/analysis/cka/CkaAnalysis.h"
#include "widgets/analysis/LayerFigures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// The range of the figure's colour bar for two layers beside one.
ValueRange barOfValues(double one, double two) {
  ModelCka cka{.first = "a",
               .second = "b",
               .firstLayers = {"one", "two"},
               .secondLayers = {"three"},
               .pictures = 9,
               .batches = 2,
               .values = Eigen::MatrixXd(2, 1)};
  cka.values << one, two;
  return ckaFigure(cka, {}).bars.at(0).range;
}

TEST(CkaFigureBar, TellsThatValuesLieBeyondItsEnds) {
  EXPECT_EQ(barOfValues(0.25, 1 + 1e-12), (ValueRange{0, 1}));
  EXPECT_EQ(barOfValues(0.25, std::nan("")), (ValueRange{0, 1}));
  EXPECT_TRUE(barOfValues(0.25, -0.1).clipped);
  EXPECT_TRUE(barOfValues(1.05, 0.5).clipped);
}

TEST(CkaFigureCaption, SaysForHowManyPairsCkaIsNotDefined) {
  ModelCka cka{.first = "a",
               .second = "b",
               .firstLayers = {"one", "two"},
               .secondLayers = {"three"},
               .pictures = 9,
               .batches = 1,
               .values = Eigen::MatrixXd(2, 1)};
  cka.values << 0.25, std::nan("");
  const auto about = [&] { return ckaFigure(cka, {}).blocks.at(0).caption->about.toStdString(); };
  EXPECT_THAT(about(), HasSubstr("CKA is not defined for 1 of 2 pairs of layers"));
  cka.values << 0.25, 0.5;
  EXPECT_EQ(about().find("not defined"), std::string::npos);
  EXPECT_THAT(about(),
              HasSubstr("The largest CKA of a layer with one of the other model is 0.375 in "
                        "the mean over layers · linear CKA"))
      << "in the words of the table";
  EXPECT_EQ(ckaTable(cka).sentence,
            "The largest CKA of a layer with one of the other model is 0.375 in the mean over "
            "layers.");
  cka.secondLayers = cka.firstLayers;
  cka.second = cka.first;
  cka.values.resize(2, 2);
  cka.values << 1, 0.5, 0.5, 1;
  EXPECT_THAT(ckaTable(cka).sentence, HasSubstr("with another is 0.5 "))
      << "a layer is not compared with itself";
}

}  // namespace
}  // namespace softscope
