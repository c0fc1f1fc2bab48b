#include "core/Error.h"
#include "core/analysis/classmap/ClassMap.h"
#include "tests/core/ErrorMessage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

const std::vector<std::string> animals{"tench, Tinca tinca", "Cat", "dog, hound", "1"};

TEST(ClassIndex, IsThatOfANameOrANumber) {
  EXPECT_EQ(classIndexOf("cat", animals, 4), 1);
  EXPECT_EQ(classIndexOf("Tinca tinca", animals, 4), 0);
  EXPECT_EQ(classIndexOf("tench, tinca tinca", animals, 4), 0);
  EXPECT_EQ(classIndexOf("hound", animals, 4), 2);
  EXPECT_EQ(classIndexOf("2", animals, 4), 2);
  // A class that is called so is meant before the number.
  EXPECT_EQ(classIndexOf("1", animals, 4), 3);
  EXPECT_EQ(classIndexOf("9", {}, 10), 9);
}

TEST(ClassIndex, IsRefusedWithWhatThereIs) {
  const auto message = [](const std::string& text, const std::vector<std::string>& names,
                          int classes) {
    return test::messageOf<InspectionError>([&] { classIndexOf(text, names, classes); });
  };
  EXPECT_NE(message("4", animals, 4).find("has 4"), std::string::npos);
  EXPECT_NE(message("-1", animals, 4).find("numbered from 0"), std::string::npos);
  EXPECT_NE(message("ca", animals, 4).find("Cat"), std::string::npos);
  EXPECT_NE(message("cat", {}, 10).find("0 to 9"), std::string::npos);
  EXPECT_NE(message("cat", animals, 0).find("no head"), std::string::npos);
  EXPECT_NE(message("1.5", {}, 10), "");
}

ClassMap mapOfThree(float first, float second, float third) {
  ClassMap map{.method = ClassMethod::GradientTokens, .grid = {1, 3}, .patches = Vector(3)};
  map.patches << first, second, third;
  return map;
}

TEST(ClassMapDifference, DividesEachByItsLargestMagnitude) {
  const Vector difference = differenceOf(mapOfThree(2, -4, 0), mapOfThree(1, 0, 0));
  EXPECT_FLOAT_EQ(difference[0], 0.5f - 1);
  EXPECT_FLOAT_EQ(difference[1], -1);
  EXPECT_FLOAT_EQ(difference[2], 0);
  // A map of zeros has no magnitude to be divided by.
  EXPECT_FLOAT_EQ(differenceOf(mapOfThree(0, 0, 0), mapOfThree(0, 0, 5))[2], -1);
}

TEST(ClassMapArrays, SayTheGridsOfPatchesWhereTheyDiffer) {
  ModelClassMaps of{.model = "vit", .first = {.classIndex = 1}};
  of.classNames = animals;
  of.first.maps = {mapOfThree(1, 2, 4), mapOfThree(3, 1, 3)};
  of.first.maps[1].method = ClassMethod::GradCam;
  EXPECT_EQ(classMapArrays({of}).sentence,
            "The patch that speaks most for Cat in vit is (0, 2) by gradient_tokens, no single one "
            "by grad_cam.");
  of.first.maps[1].patches[2] = 5;
  of.first.maps[1].grid = {3, 1};
  EXPECT_EQ(classMapArrays({of}).sentence,
            "The patch that speaks most for Cat in vit is (0, 2) of 1 x 3 by gradient_tokens, "
            "(2, 0) of 3 x 1 by grad_cam.");
}

TEST(ClassMapArrays, AreNamedByModelMethodAndClass) {
  ModelClassMaps of{.model = "vit", .first = {.classIndex = 3, .logit = 2}};
  of.first.maps = {mapOfThree(1, 2, 4),
                   {.method = ClassMethod::LeGrad, .obstacle = "no head reads its blocks"}};
  of.second = of.first;
  of.second->classIndex = 7;
  std::vector<std::string> names;
  for (const auto& [name, array] : classMapArrays({of})) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"vit.logit.class_3", "vit.gradient_tokens.class_3",
                                             "vit.logit.class_7", "vit.gradient_tokens.class_7",
                                             "vit.gradient_tokens.difference"}));
  EXPECT_EQ(classMapArrays({of})[1].second.shape, (std::vector<std::int64_t>{1, 3}));
}

}  // namespace
}  // namespace softscope
