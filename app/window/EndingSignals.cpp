#include "app/window/EndingSignals.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace softscope {
namespace {

using SignalHandler = void (*)(int);

constexpr int endingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// A handler of signals can only use what is static.
volatile sig_atomic_t signalSocket = -1;
SignalHandler formerHandlers[std::size(endingSignals)] = {};

void restoreHandlers() {
  for (std::size_t i = 0; i < std::size(endingSignals); ++i) {
    std::signal(endingSignals[i], formerHandlers[i]);
  }
}

extern "C" void tellOfSignal(int signal) {
  const int error = errno;
  restoreHandlers();
  const auto number = static_cast<unsigned char>(signal);
  static_cast<void>(!::write(signalSocket, &number, 1));
  errno = error;
}

}  // namespace

EndingSignals::EndingSignals(std::function<void(int)> end) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets_) != 0) return;
  connect(&notifier_, &QSocketNotifier::activated, this, [this, end = std::move(end)] {
    unsigned char number = 0;
    if (::read(sockets_[0], &number, 1) == 1) end(number);
  });
  notifier_.setSocket(sockets_[0]);
  notifier_.setEnabled(true);
  signalSocket = sockets_[1];
  // All are known before the first can come.
  for (std::size_t i = 0; i < std::size(endingSignals); ++i) {
    struct sigaction former {};
    sigaction(endingSignals[i], nullptr, &former);
    formerHandlers[i] = former.sa_handler;
  }
  for (std::size_t i = 0; i < std::size(endingSignals); ++i) {
    if (formerHandlers[i] != SIG_IGN) std::signal(endingSignals[i], tellOfSignal);
  }
}

EndingSignals::~EndingSignals() {
  if (sockets_[0] < 0) return;
  restoreHandlers();
  signalSocket = -1;
  notifier_.setEnabled(false);
  for (const int socket : sockets_) ::close(socket);
}

}  // namespace softscope
