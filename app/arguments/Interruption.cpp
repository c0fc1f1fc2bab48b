#include "app/arguments/Interruption.h"

#include <atomic>
#include <csignal>

namespace softscope {

namespace {

std::atomic<Progress*> interrupted{nullptr};
static_assert(std::atomic<Progress*>::is_always_lock_free, "a signal's handler may not wait");

extern "C" void cancelProgress(int signal) {
  if (Progress* progress = interrupted.load()) progress->cancel();
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption(Progress& progress) {
  interrupted = &progress;
  std::signal(SIGINT, cancelProgress);
  std::signal(SIGTERM, cancelProgress);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  interrupted = nullptr;
}

}  // namespace softscope
