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

TEST(ModelNames, GivenOnesGoBefore) {
  EXPECT_THAT(modelNames({{"a/x.pth", "ours"}, {"b/x.pth", ""}}), ElementsAre("ours", "x"));
}

}  // namespace
}  // namespace softscope
