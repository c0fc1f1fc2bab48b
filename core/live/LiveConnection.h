#pragma once

#include "core/live/LiveMessage.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace softscope {

/// A connection to one Python process: admits it, passes on what it sends, and asks it to run its
/// model. One thread reads and, once the process is admitted, another one writes; both end with the
/// connection.
class LiveConnection : public std::enable_shared_from_this<LiveConnection> {
 public:
  /// The callbacks are made on the thread that reads.
  struct Events {
    /// The process was admitted.
    std::function<void(std::shared_ptr<LiveConnection>, LiveGreeting)> admitted;
    /// The process sent a picture to open.
    std::function<void(LiveConnection&, LivePicture)> brought;
    std::function<void(LiveConnection&, LiveStep)> stepped;
    /// The connection ended; `reason` is a line for the user, empty if the process just left.
    std::function<void(LiveConnection&, const std::string& reason)> ended;
  };

  /// Takes over a connected socket. Admits a process that greets with `token` within ten seconds.
  /// The caller keeps the connection until it has ended: callbacks do not prolong its life.
  static std::shared_ptr<LiveConnection> take(int socket, std::string token, std::string program,
                                              Events events);
  /// Closes the connection and waits for its threads.
  ~LiveConnection();
  LiveConnection(const LiveConnection&) = delete;
  LiveConnection& operator=(const LiveConnection&) = delete;

  /// Sends a picture to run the model on, and waits for its answer, for as long as that takes: a
  /// process that computes reads nothing. `throwIfCancelled` is called ten times a second. Throws
  /// InspectionError if the process answers with an error or the connection ends.
  LiveAnswer ask(const LiveQuestion& question, const std::function<void()>& throwIfCancelled);
  bool isOpen() const;
  /// True once the process has greeted with the token.
  bool isAdmitted() const;
  /// Ends the connection; may be called from any thread.
  void close();

 private:
  LiveConnection(int socket, std::string token, std::string program, Events events);

  void run();
  void admit();
  void take(LiveMessage message);
  LiveFrame read(std::uint64_t largestPayload, std::optional<int> patience);
  /// Waits until the socket can be read or written; a missing patience waits for ever. Throws
  /// Malformed when the patience, or the time for the greeting, ends.
  void await(short what, std::optional<int> patience);
  void readExactly(std::string& bytes, std::size_t size, std::optional<int> patience);
  void writeQuestions();
  void send(const LiveFrame& frame, std::optional<int> patience);
  void sendAll(const std::string& bytes, std::optional<int> patience);

  const int socket_;
  const std::string token_;
  const std::string program_;
  const Events events_;

  struct Outgoing {
    std::int64_t id = 0;
    LiveFrame frame;
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  /// Empty once the process is admitted. Written by the reader alone.
  std::optional<std::chrono::steady_clock::time_point> greetingEnds_;
  std::int64_t lastId_ = 0;
  /// Questions that wait, each with its answer once there is one.
  std::map<std::int64_t, std::optional<LiveReply>> waiting_;
  /// Questions of which nothing has been sent yet.
  std::deque<Outgoing> outgoing_;
  std::thread reader_;
  /// Started by the reader.
  std::thread writer_;
};

}  // namespace softscope
