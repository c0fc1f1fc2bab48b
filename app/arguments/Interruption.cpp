#include "app/arguments/Interruption.h"

#include <array>
#include <atomic>
#include <csignal>

namespace softscope {

namespace {

std::atomic<Progress*> interrupted{nullptr};
static_assert(std::atomic<Progress*>::is_always_lock_free, "a signal's handler may not wait");

constexpr std::array cancelling{SIGINT, SIGTERM, SIGHUP};
/// The previous handlers of these signals.
std::array<void (*)(int), cancelling.size()> handledBefore{};

void restore(int signal) {
  for (std::size_t i = 0; i < cancelling.size(); ++i) {
    if (cancelling[i] == signal) std::signal(signal, handledBefore[i]);
  }
}

extern "C" void cancelProgress(int signal) {
  if (Progress* progress = interrupted.load()) progress->cancel();
  restore(signal);
}

}  // namespace

Interruption::Interruption(Progress& progress) {
  interrupted = &progress;
  for (std::size_t i = 0; i < cancelling.size(); ++i) {
    handledBefore[i] = std::signal(cancelling[i], cancelProgress);
    // Signals that nohup, for example, ignores stay ignored.
    if (handledBefore[i] == SIG_IGN) std::signal(cancelling[i], SIG_IGN);
  }
}

Interruption::~Interruption() {
  for (const int signal : cancelling) restore(signal);
  interrupted = nullptr;
}

}  // namespace softscope
