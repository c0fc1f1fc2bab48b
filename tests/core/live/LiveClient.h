#pragma once

#include "core/live/LiveMessage.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace softscope::test {

/// The Python process's side of a connection, as bytes.
class LiveClient {
 public:
  static LiveClient toFile(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    return LiveClient(socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address),
                      sizeof(address));
  }
  static LiveClient toPort(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<in_port_t>(port));
    return LiveClient(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&address),
                      sizeof(address));
  }
  LiveClient(LiveClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ~LiveClient() { hangUp(); }

  void hangUp() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  void sendBytes(const std::string& bytes) {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  }
  /// Returns false if the connection was closed.
  bool trySend(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size());
  }
  void send(const std::string& json, const std::string& payload = "") {
    sendBytes(frameHead({json, payload}) + json + payload);
  }
  /// Returns the next message; empty if the connection was closed.
  LiveFrame receive() {
    const std::string head = take(liveFrameHead);
    if (head.empty()) return {};
    const LiveFrameSizes sizes = frameSizes(head, largestLivePayload);
    LiveFrame frame;
    frame.json = take(sizes.json);
    frame.payload = take(static_cast<std::size_t>(sizes.payload));
    return frame;
  }

  /// Returns the next bytes; empty if the connection was closed before.
  std::string take(std::size_t size) {
    std::string bytes(size, '\0');
    const ssize_t got = size > 0 ? recv(socket_, bytes.data(), size, MSG_WAITALL) : 0;
    return got == ssize_t(size) ? bytes : std::string();
  }

 private:
  LiveClient(int socket, sockaddr* address, socklen_t size) : socket_(socket) {
    EXPECT_EQ(connect(socket_, address, size), 0) << std::strerror(errno);
  }

  int socket_;
};

}  // namespace softscope::test
