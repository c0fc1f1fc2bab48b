#include "app/figures/CostProcess.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace softscope {
namespace {

/// How often it looks whether it was cancelled, in milliseconds.
constexpr int patience = 50;

std::vector<std::string> commandFor(const CostRequest& request) {
  return {"softscope",   "measure-cost",
          "--scope",     scopeName(request.scope),
          "--mechanism", request.mechanism,
          "--tokens",    std::to_string(request.tokens),
          "--channels",  std::to_string(request.channels),
          "--heads",     std::to_string(request.heads),
          "--threads",   std::to_string(request.threads)};
}

/// A process whose output and complaints come through a pipe. It does not outlive this.
class Child {
 public:
  explicit Child(std::vector<std::string> command) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail();
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const int error =
        posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
      close(output_);
      errno = error;
      fail();
    }
  }
  ~Child() {
    close(output_);
    if (process_ > 0) {
      kill(process_, SIGKILL);
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Everything it writes until it ends.
  std::string read(const Progress& progress) {
    std::string text;
    for (;;) {
      progress.throwIfCancelled();
      pollfd waiting{output_, POLLIN, 0};
      if (poll(&waiting, 1, patience) <= 0) continue;
      std::array<char, 4096> part{};
      const ssize_t count = ::read(output_, part.data(), part.size());
      if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) return text;
    }
  }

  /// Whether it ended by itself, with 0.
  bool wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  [[noreturn]] static void fail() {
    throw InspectionError(std::string("no process can be started to measure in: ") +
                          std::strerror(errno));
  }

  pid_t process_ = 0;
  int output_ = -1;
};

}  // namespace

CostPoint measureInChildProcess(const CostRequest& request, const Progress& progress) {
  Child child(commandFor(request));
  const std::string text = child.read(progress);
  if (!child.wait()) {
    throw InspectionError(
        "measuring " + request.mechanism + " at " + std::to_string(request.tokens) +
        " tokens failed: " +
        (text.empty() ? "the process was ended, perhaps for want of memory; try fewer tokens"
                      : text.substr(0, text.find('\n'))));
  }
  const nlohmann::json numbers = nlohmann::json::parse(text, nullptr, false);
  if (!numbers.is_object() || !numbers.contains("milliseconds") || !numbers.contains("bytes") ||
      !numbers.contains("peak_bytes")) {
    throw InspectionError("measuring " + request.mechanism + " gave no numbers: " + text);
  }
  return {request, numbers["milliseconds"].get<double>(), numbers["bytes"].get<std::int64_t>(),
          numbers["peak_bytes"].get<std::int64_t>()};
}

}  // namespace softscope
