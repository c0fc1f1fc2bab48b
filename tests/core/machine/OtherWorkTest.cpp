#include "core/machine/OtherWork.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace softscope {
namespace {

/// Keeps a core busy until it is ended.
class BusyProcess {
 public:
  BusyProcess() : process_(fork()) {
    if (process_ == 0) {
      for (volatile unsigned i = 0;;) i = i + 1;
    }
  }
  ~BusyProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  pid_t process_;
};

TEST(OtherWork, SeesAnotherProcess) {
  const BusyProcess busy;
  const OtherWork others;
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  constexpr int allCores = 1 << 20;
  const auto lost = others.coresLost(allCores);
  ASSERT_TRUE(lost) << "the system tells";
  EXPECT_GT(*lost, 0.5);
  EXPECT_LT(others.coresLost(0).value(), 0.3) << "nothing is lost where nothing is to be used";
}

}  // namespace
}  // namespace softscope
