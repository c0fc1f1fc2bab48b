#include "core/machine/ChildProcess.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace softscope {
namespace {

const std::string shell = "/bin/sh";

TEST(ChildProcess, LeavesAllItSaidAndItsExitCode) {
  const ChildOutcome outcome =
      runChildProcess(shell, {"-c", "echo \"$0\"; echo two >&2; exit 3", "one and a half"});
  EXPECT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(outcome.output, "one and a half\n");
  EXPECT_EQ(outcome.errors, "two\n");
}

TEST(ChildProcess, MaySayMoreThanAPipeHolds) {
  const ChildOutcome outcome =
      runChildProcess(shell, {"-c", "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2"});
  EXPECT_EQ(outcome.output.size(), 300000u);
  EXPECT_EQ(outcome.errors.size(), 200000u);
  EXPECT_EQ(outcome.exitCode, 0);
}

TEST(ChildProcess, IsToldFromOneThatASignalEnded) {
  const ChildOutcome outcome = runChildProcess(shell, {"-c", "kill -9 $$"});
  EXPECT_FALSE(outcome.exited);
  EXPECT_EQ(outcome.output + outcome.errors, "");
}

TEST(ChildProcess, GetsNoInput) {
  EXPECT_EQ(runChildProcess(shell, {"-c", "read line || echo none"}).output, "none\n");
}

TEST(ChildProcess, IsKilledWhenItIsNoLongerWanted) {
  Progress progress;
  std::thread impatient([&progress] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    progress.cancel();
  });
  EXPECT_THROW(runChildProcess("/bin/sleep", {"3600"}, progress), Cancelled);
  impatient.join();
}

TEST(ChildProcess, SaysWhyNoneCanBeStarted) {
  EXPECT_THROW(runChildProcess("/no/such/program", {}), InspectionError);
}

}  // namespace
}  // namespace softscope
