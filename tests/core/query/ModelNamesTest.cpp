#include "core/query/ModelNames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> namesOf(const std::vector<std::string>& paths) {
  std::vector<NamedFile> files;
  for (const std::string& path : paths) files.push_back({path, ""});
  return modelNames(files);
}

TEST(ModelNames, AreThoseOfTheFiles) {
  EXPECT_THAT(namesOf({"a/soft_tiny.pth", "b/sima.safetensors"}), ElementsAre("soft_tiny", "sima"));
  EXPECT_THAT(namesOf({"/runs/a/checkpoint.pth"}), ElementsAre("checkpoint"));
}

TEST(ModelNames, OfFilesThatAreCalledAlikeHaveTheirFolders) {
  EXPECT_THAT(namesOf({"/runs/a/checkpoint.pth", "/runs/b/checkpoint.pth", "/runs/b/last.pth"}),
              ElementsAre("a/checkpoint", "b/checkpoint", "last"));
  EXPECT_THAT(namesOf({"/runs/a/best/x.pth", "/runs/b/best/x.pth"}),
              ElementsAre("a/best/x", "b/best/x"));
}

TEST(ModelNames, OfTheSameFileAreTheSame) {
  EXPECT_THAT(namesOf({"a/x.pth", "a/x.pth"}), ElementsAre("x", "x"));
  EXPECT_THAT(namesOf({"a/x.pth", "a/../a/x.pth", "b/x.pth"}), ElementsAre("a/x", "a/x", "b/x"));
  EXPECT_THAT(namesOf({"a/x.pth", "a/x.safetensors"}), ElementsAre("x", "x"))
      << "no folder tells them apart";
}

TEST(StepNames, OfSeveralTrainingsAllHaveTheirFolders) {
  const auto steps = [](const std::vector<std::string>& paths) {
    std::vector<NamedFile> files;
    for (const std::string& path : paths) files.push_back({path, ""});
    return stepNames(files);
  };
  EXPECT_THAT(steps({"a/epoch_5.pth", "a/epoch_10.pth", "b/epoch_5.pth", "b/epoch_20.pth"}),
              ElementsAre("a/epoch_5", "a/epoch_10", "b/epoch_5", "b/epoch_20"))
      << "also steps that one of them alone has";
  EXPECT_THAT(steps({"a/epoch_5.pth", "a/epoch_10.pth", "b/last.pth"}),
              ElementsAre("epoch_5", "epoch_10", "last"));
  EXPECT_THAT(steps({"run/checkpoint-500/model.pth", "run/checkpoint-1000/model.pth"}),
              ElementsAre("checkpoint-500/model", "checkpoint-1000/model"));
  EXPECT_THAT(stepNames({{"a/epoch_5.pth", "ours"}, {"b/epoch_5.pth", ""}}),
              ElementsAre("ours", "b/epoch_5"));
}

TEST(ModelNames, GivenOnesGoBefore) {
  EXPECT_THAT(modelNames({{"a/x.pth", "ours"}, {"b/x.pth", ""}}), ElementsAre("ours", "x"));
}

}  // namespace
}  // namespace softscope
