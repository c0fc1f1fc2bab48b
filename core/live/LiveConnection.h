#pragma once

#include "core/live/LiveMessage.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace softscope {

/// A connection to one Python process: admits it, passes on what it sends, and asks it to run its
/// model. A thread of its own reads, and ends with the connection.
class LiveConnection : public std::enable_shared_from_this<LiveConnection> {
 public:
  /// The callbacks are made on the connection's thread.
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
  /// Closes the connection and waits for its thread.
  ~LiveConnection();
  LiveConnection(const LiveConnection&) = delete;
  LiveConnection& operator=(const LiveConnection&) = delete;

  /// Sends a picture to run the model on, and waits for its answer, for as long as that takes;
  /// `throwIfCancelled` is called ten times a second. Throws InspectionError if the process answers
  /// with an error or the connection ends.
  LiveAnswer ask(const LiveQuestion& question, const std::function<void()>& throwIfCancelled);
  bool isOpen() const;
  /// Ends the connection; may be called from any thread.
  void close();

 private:
  LiveConnection(int socket, std::string token, std::string program, Events events);

  void run();
  void admit();
  void take(LiveMessage message);
  LiveFrame read(std::uint64_t largestPayload, std::optional<int> patience);
  void readExactly(std::string& bytes, std::size_t size, std::optional<int> patience);
  void send(const LiveFrame& frame);
  void sendAll(const std::string& bytes);

  const int socket_;
  const std::string token_;
  const std::string program_;
  const Events events_;

  std::mutex writing_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  std::int64_t lastId_ = 0;
  /// Questions that wait, each with its answer once there is one.
  std::map<std::int64_t, std::optional<LiveReply>> waiting_;
  std::thread thread_;
};

}  // namespace softscope
