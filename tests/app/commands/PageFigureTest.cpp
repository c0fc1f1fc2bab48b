#include "core/interactive/InteractiveFile.h"
#include "tests/app/commands/Run.h"

#include <filesystem>

namespace softscope {
namespace {

using test::contentOf;
using test::expectOneLine;
using test::softscope;
using test::TemporaryFolder;
using ::testing::HasSubstr;

const std::string boxOfPages = std::string(SOFTSCOPE_SOURCE) + "/resources/";

std::string pageCommand(const std::string& options, const std::string& model = "soft") {
  return "figure page -m " + boxOfPages + "checkpoints/" + model + "_everyday10.safetensors " +
         boxOfPages + "pictures/chelsea.png --size 64 " + options;
}

TEST(PageFigureTest, WritesOneFileWithItsCommand) {
  const TemporaryFolder folder;
  const std::string path = folder / "page.html";
  const auto outcome = softscope(pageCommand("--layer 'block3.*' --at 0.4,0.3 -o " + path));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, path + "\n");
  EXPECT_EQ(outcome.errors, "");
  const std::string page = contentOf(path);
  EXPECT_LT(page.size(), interactiveLimit);
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
  EXPECT_THAT(page, HasSubstr("\"name\":\"block3.0.att.mha.attn\""));
  EXPECT_THAT(page, HasSubstr("softscope figure page -m "));
  EXPECT_THAT(page, HasSubstr("\"x\":0.4,\"y\":0.3"));
}

TEST(PageFigureTest, RefusesWhatAPageDoesNotHave) {
  const TemporaryFolder folder;
  const std::string output = " -o " + (folder / "page.html");
  expectOneLine(softscope(pageCommand("--data numbers.npz" + output)), 2, "softscope dump");
  expectOneLine(softscope(pageCommand("--at 0.1,0.1 --at 0.2,0.2" + output)), 2, "once");
  expectOneLine(softscope(pageCommand("--head 0 --head 1" + output)), 2, "once");
  expectOneLine(softscope(pageCommand("-o " + (folder / "page.png"))), 2, ".html");
  expectOneLine(softscope(pageCommand("--head 99" + output)), 1, "head 99 is outside 0 to");
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
}

TEST(PageFigureTest, LooksOfPicturesArePassedOver) {
  const TemporaryFolder folder;
  const auto outcome = softscope(pageCommand("--width 80 -o " + (folder / "page.html")));
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("--width belongs to figure heads"));
  EXPECT_THAT(outcome.errors, HasSubstr("figure page passes over it"));
}

TEST(PageFigureTest, LayersWithoutTheMapAreListed) {
  const TemporaryFolder folder;
  const auto outcome =
      softscope(pageCommand("--map convolution -o " + (folder / "page.html"), "sima"));
  expectOneLine(outcome, 1, "no convolution of V stands beside sima attention");
}

}  // namespace
}  // namespace softscope
