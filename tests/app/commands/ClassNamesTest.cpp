#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace softscope {
namespace {

using test::data;
using test::expectOneLine;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::HasSubstr;

/// DeiT's golden network of ten classes that the file does not name.
class ClassNames : public ::testing::Test {
 protected:
  ClassNames() {
    std::ofstream file(names_);
    for (int i = 0; i < 10; ++i) file << "animal " << i << '\n';
  }

  TemporaryFolder folder_;
  std::string names_ = folder_ / "names.txt";
  std::string picture_ = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";
  std::string model_ = data("golden/deit/checkpoint.pth");
  std::string options_ =
      " --attention softmax --activation gelu --epsilon 1e-6 --norm pre "
      "--pooling cls --mean imagenet --heads 2";
};

TEST_F(ClassNames, OfAFileNameWhatAFigureIsAskedFor) {
  const std::string figure = "figure class -m " + model_ + options_ + " " + picture_ + " -o " +
                             (folder_ / "x.png") + " --class 'animal 7'";
  const Outcome unnamed = test::softscope(figure);
  EXPECT_NE(unnamed.exitCode, 0);
  const Outcome named = test::softscope(figure + " --class-names " + names_);
  EXPECT_EQ(named.exitCode, 0) << named.errors;
}

TEST_F(ClassNames, AreKeptByConvert) {
  const std::string converted = folder_ / "named.safetensors";
  const Outcome written = test::softscope("convert " + model_ + options_ + " -o " + converted +
                                          " --class-names " + names_);
  ASSERT_EQ(written.exitCode, 0) << written.errors;
  EXPECT_THAT(test::softscope("inspect --json " + converted).output, HasSubstr("animal 9"));
}

TEST_F(ClassNames, OfAnotherNumberAreRefusedInALine) {
  std::ofstream(names_) << "cat\ndog\n";
  for (const std::string& command :
       {"inspect " + model_, "convert " + model_ + " -o " + (folder_ / "x.safetensors")}) {
    const Outcome outcome = test::softscope(command + options_ + " --class-names " + names_);
    expectOneLine(outcome, 1, "names 2 classes, and");
    EXPECT_THAT(outcome.errors, HasSubstr("has 10 classes")) << command;
  }
}

TEST_F(ClassNames, AreNotOverwritten) {
  const std::string before = test::contentOf(names_);
  const Outcome outcome =
      test::softscope("figure spectrum -m " + model_ + options_ + " --class-names " + names_ + " " +
                      picture_ + " -o " + (folder_ / "x.png") + " --data " + names_);
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_EQ(test::contentOf(names_), before);
}

}  // namespace
}  // namespace softscope
