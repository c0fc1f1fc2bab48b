#pragma once

#include "core/live/LiveConnection.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace softscope {

/// Listens for Python processes, either on a local socket that its user alone can open, or on a
/// port of this computer's loopback interface, where a token is asked for.
class LiveListener {
 public:
  using Events = LiveConnection::Events;

  /// Listens on a socket file; its folder is made, readable by the user alone. Throws FileError if
  /// another window listens there.
  static std::unique_ptr<LiveListener> onFile(const std::string& path, const std::string& program,
                                              Events events);
  /// Listens on `HOST:PORT`, a port of the loopback interface; port 0 takes a free one, and an
  /// empty text stands for `127.0.0.1:0`. Throws Error for any other address, or if the port is
  /// taken.
  static std::unique_ptr<LiveListener> onPort(const std::string& address,
                                              const std::string& program, Events events);
  /// Begins to take connections; those that were made before have waited.
  void begin();
  /// Ends all connections.
  ~LiveListener();

  /// Returns what softscope.connect() takes: `127.0.0.1:PORT/TOKEN`, or the path of the socket.
  const std::string& address() const { return address_; }

 private:
  LiveListener(int socket, std::string address, std::string token, const std::string& program,
               Events events);

  void run();
  void takeConnection(int socket);

  const int socket_;
  const std::string address_;
  const std::string token_;
  const std::string program_;
  const Events events_;
  std::string file_;
  /// True if the socket is the one of the user's windows, whose folder goes with the last of them.
  bool hasOwnFolder_ = false;
  std::atomic<bool> stops_{false};
  /// All that have not ended; used on the listener's thread and, once that has ended, by the
  /// destructor.
  std::vector<std::shared_ptr<LiveConnection>> connections_;
  std::thread thread_;
};

/// Returns the socket file on which a user's window listens: in $XDG_RUNTIME_DIR, or else in a
/// folder of the user's own in the folder for temporary files.
std::string liveSocketFile();

}  // namespace softscope
