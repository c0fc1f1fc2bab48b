#include "tests/app/commands/Run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using test::Outcome;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* offscreen = "QT_QPA_PLATFORM=offscreen";

/// A window of an empty home, from its start to its first answer.
Outcome answerOf(const std::string& variables) {
  const test::TemporaryFolder home;
  return test::softscope("--threads 1 --quit-after answer",
                         std::string(offscreen) + " XDG_CONFIG_HOME=" + (home / "config") +
                             " XDG_DATA_HOME=" + (home / "data") + " " + variables);
}

/// What the window waits for at its start decides how soon it is drawn.
TEST(Engine, IsNotLoadedWithTheWindow) {
  const Outcome libraries = test::softscope("", "LD_TRACE_LOADED_OBJECTS=1");
  EXPECT_THAT(libraries.output, HasSubstr("libQt6Widgets"));
  EXPECT_THAT(libraries.output, Not(HasSubstr("libtorch")));
  EXPECT_THAT(libraries.output, Not(HasSubstr("imgcodecs")));
}

/// One by one, and before LibTorch itself. Only the first of them are certain to come before the
/// window asks for the engine.
TEST(Engine, WhatLibTorchNeedsIsLoadedWhileTheWindowIsDrawn) {
#ifndef SOFTSCOPE_DEBIAN_TORCH
  GTEST_SKIP() << "another LibTorch than Debian's needs next to nothing";
#endif
  const Outcome outcome = answerOf("LD_DEBUG=files");
  EXPECT_EQ(outcome.exitCode, 0);
  for (const char* library : {"libfmt", "libprotobuf", "libXNNPACK"}) {
    EXPECT_THAT(outcome.errors, ContainsRegex(std::string("file=") + library +
                                              "[^ ]* \\[0\\];  dynamically loaded by"));
  }
  EXPECT_THAT(outcome.errors, Not(ContainsRegex("libtorch_cpu[^ ]* \\[0\\];  dynamically")));
}

/// Which may be linked to others of the same names.
TEST(Engine, NothingIsLoadedEarlyForAnother) {
  const Outcome outcome = answerOf("LD_DEBUG=files SOFTSCOPE_ENGINE=/nowhere/engine.so");
  EXPECT_THAT(outcome.errors, HasSubstr("file=/nowhere/engine.so"));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("libopencv_highgui")));
}

TEST(Engine, BothProgramsTellTheSame) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "help";
  const Outcome window = test::softscope(
      "--help", {}, std::string(SOFTSCOPE_EXECUTABLE) + "-commands --help >" + file + "; ");
  EXPECT_EQ(window.exitCode, 0);
  EXPECT_THAT(window.output, HasSubstr("survey"));
  EXPECT_EQ(window.output, test::contentOf(file));
}

TEST(Engine, HelpNeedsNone) {
  const Outcome outcome = test::softscope("--help", "SOFTSCOPE_ENGINE=/nowhere");
  EXPECT_EQ(outcome.exitCode, 0);
}

TEST(Engine, ThatIsMissingIsOneLine) {
  const Outcome outcome =
      test::softscope("--device cuda --quit-after answer",
                      std::string(offscreen) + " SOFTSCOPE_ENGINE=/nowhere/engine.so");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("/nowhere/engine.so"));
  EXPECT_THAT(outcome.errors, HasSubstr("install or build Softscope again"));
}

TEST(Engine, ThatIsAnotherLibraryIsRefused) {
  const Outcome outcome = test::softscope("--device cuda --quit-after answer",
                                          std::string(offscreen) + " SOFTSCOPE_ENGINE=libz.so.1");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("is not Softscope's"));
}

/// Where another library stands before all others, LibTorch is loaded in another way.
TEST(Engine, AnswersBesideALibraryThatIsPreloaded) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer must be first itself";
#endif
  const Outcome outcome = answerOf("LD_PRELOAD=libz.so.1");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
}

/// Some limits are too small for LibTorch's libraries, which would try again and again as they are
/// loaded.
TEST(Engine, IsNotLoadedWhereTheLimitOnMemoryIsTooSmall) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs terabytes of addresses";
#endif
  for (const char* limit : {"500000", "600000", "700000"}) {
    const std::string before = "ulimit -v " + std::string(limit) + "; timeout 60 ";
    test::expectOneLine(
        test::softscope("inspect " + test::data("golden/soft/checkpoint.pth"), {}, before), 1,
        "ulimit -v");
  }
}

/// The window itself opens, and says in its banner what is wrong: the process ends only because
/// nothing can answer.
TEST(Engine, ThatIsMissingLeavesTheWindowOpen) {
  const Outcome outcome = test::softscope(
      "--quit-after answer", std::string(offscreen) + " SOFTSCOPE_ENGINE=/nowhere/engine.so");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("nothing answers"));
}

}  // namespace
}  // namespace softscope
