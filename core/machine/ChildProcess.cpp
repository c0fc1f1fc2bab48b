#include "core/machine/ChildProcess.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace softscope {
namespace {

/// Milliseconds between two checks for cancellation.
constexpr int patience = 50;

[[noreturn]] void throwNotStarted(int error) {
  throw InspectionError(std::string("no process can be started: ") + std::strerror(error));
}

/// A pipe that other children do not inherit.
class OutputPipe {
 public:
  OutputPipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throwNotStarted(errno);
  }
  ~OutputPipe() {
    close(ends_[0]);
    closeWriting();
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void closeWriting() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

/// A process that is killed when this object is destroyed.
class Child {
 public:
  Child(const std::string& program, const std::vector<std::string>& arguments, int output,
        int errors) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    const int error = posix_spawn(&id_, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throwNotStarted(error);
  }
  ~Child() {
    if (ended_) return;
    kill(id_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for the process to end and returns its status, as waitpid() gives it.
  int wait() {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    return status;
  }

 private:
  pid_t id_ = 0;
  bool ended_ = false;
};

/// Reads both pipes until every writer has closed them.
void readAll(const OutputPipe& output, const OutputPipe& errors, const Progress& progress,
             ChildOutcome& outcome) {
  std::array<pollfd, 2> pipes{pollfd{output.reading(), POLLIN, 0},
                              pollfd{errors.reading(), POLLIN, 0}};
  const std::array<std::string*, 2> texts{&outcome.output, &outcome.errors};
  std::array<char, 4096> part{};
  // poll() passes over negative descriptors.
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    progress.throwIfCancelled();
    if (poll(pipes.data(), pipes.size(), patience) <= 0) continue;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      const ssize_t count = read(pipes[i].fd, part.data(), part.size());
      if (count > 0) texts[i]->append(part.data(), static_cast<std::size_t>(count));
      if (count == 0) pipes[i].fd = -1;
    }
  }
}

}  // namespace

ChildOutcome runChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                             const Progress& progress) {
  OutputPipe output;
  OutputPipe errors;
  Child child(program, arguments, output.writing(), errors.writing());
  output.closeWriting();
  errors.closeWriting();
  ChildOutcome outcome;
  readAll(output, errors, progress, outcome);
  const int status = child.wait();
  outcome.exited = WIFEXITED(status);
  if (outcome.exited) outcome.exitCode = WEXITSTATUS(status);
  return outcome;
}

}  // namespace softscope
