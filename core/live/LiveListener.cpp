#include "core/live/LiveListener.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace softscope {

namespace {

/// Most connections at a time, of those that have greeted and of the others.
constexpr std::ptrdiff_t mostConnections = 32;

std::string systemReason() {
  return std::strerror(errno);
}

std::string newToken() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) {
    throw Error("no random numbers for a token: " + systemReason());
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += digits[byte >> 4];
    token += digits[byte & 15];
  }
  return token;
}

/// Makes a folder that nobody else can enter. Throws FileError if it belongs to somebody else.
void makePrivateFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) == 0) return;
  struct stat status {};
  const bool isOurs = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  if (!isOurs) throw FileError(folder, "is not a folder of this user alone, as a socket needs");
}

bool fillAddress(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return true;
}

/// Returns true if a process listens at a socket file, even if it hangs and lets others wait.
bool isTaken(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool answered = probe >= 0 && (connect(probe, reinterpret_cast<const sockaddr*>(&address),
                                               sizeof(address)) == 0 ||
                                       errno == EAGAIN);
  if (probe >= 0) ::close(probe);
  return answered;
}

/// Returns true if the process at the other end of a local socket belongs to this user.
bool isOfThisUser(int socket) {
  ucred other{};
  socklen_t size = sizeof(other);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) return false;
  return other.uid == geteuid() || other.uid == 0;
}

/// Parses `127.0.0.1:8765`, `localhost:8765`, `:8765` or an empty text.
in_addr_t loopbackOf(const std::string& address, in_port_t& port) {
  port = 0;
  if (address.empty()) return htonl(INADDR_LOOPBACK);
  const std::size_t colon = address.rfind(':');
  const std::string host = colon == std::string::npos ? address : address.substr(0, colon);
  const char* begin = address.data() + (colon == std::string::npos ? address.size() : colon + 1);
  const char* end = address.data() + address.size();
  const auto [stop, wrong] = std::from_chars(begin, end, port);
  const bool isNumber =
      begin == end ? colon == std::string::npos : wrong == std::errc() && stop == end;
  if (!isNumber) {
    throw Error("--listen " + address + ": give HOST:PORT with a port from 0 to 65535");
  }
  if (host.empty() || host == "localhost") return htonl(INADDR_LOOPBACK);
  in_addr numbers{};
  const bool isLoopback =
      inet_pton(AF_INET, host.c_str(), &numbers) == 1 && ntohl(numbers.s_addr) >> 24 == 127;
  if (isLoopback) return numbers.s_addr;
  throw Error("--listen " + address +
              ": listens on this computer alone (127.0.0.1); from another one, forward the port "
              "with ssh -R");
}

}  // namespace

std::string liveSocketFile() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string folder = runtime != nullptr && *runtime == '/'
                                 ? std::string(runtime) + "/softscope"
                                 : temporaryFolder() + "/softscope-" + std::to_string(geteuid());
  return folder + "/window.socket";
}

std::unique_ptr<LiveListener> LiveListener::onFile(const std::string& path,
                                                   const std::string& program, Events events) {
  sockaddr_un address;
  if (!fillAddress(path, address)) throw FileError(path, "is too long a path for a socket");
  makePrivateFolder(std::filesystem::path(path).parent_path().string());
  if (isTaken(address)) throw FileError(path, "another window listens there");
  unlink(path.c_str());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0 ||
      bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(socket, 8) != 0) {
    const FileError error(path, "cannot be listened on: " + systemReason());
    if (socket >= 0) ::close(socket);
    throw error;
  }
  std::unique_ptr<LiveListener> listener(
      new LiveListener(socket, path, "", program, std::move(events)));
  listener->file_ = path;
  listener->hasOwnFolder_ = path == liveSocketFile();
  return listener;
}

std::unique_ptr<LiveListener> LiveListener::onPort(const std::string& address,
                                                   const std::string& program, Events events) {
  sockaddr_in bound{};
  bound.sin_family = AF_INET;
  in_port_t port = 0;
  bound.sin_addr.s_addr = loopbackOf(address, port);
  bound.sin_port = htons(port);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (socket >= 0) setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  socklen_t size = sizeof(bound);
  if (socket < 0 || bind(socket, reinterpret_cast<const sockaddr*>(&bound), size) != 0 ||
      listen(socket, 8) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    const Error error("--listen " + address + ": " + systemReason());
    if (socket >= 0) ::close(socket);
    throw error;
  }
  char host[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &bound.sin_addr, host, sizeof(host));
  const std::string token = newToken();
  return std::unique_ptr<LiveListener>(new LiveListener(
      socket, std::string(host) + ":" + std::to_string(ntohs(bound.sin_port)) + "/" + token, token,
      program, std::move(events)));
}

LiveListener::LiveListener(int socket, std::string address, std::string token,
                           const std::string& program, Events events)
    : socket_(socket),
      address_(std::move(address)),
      token_(std::move(token)),
      program_(program),
      events_(std::move(events)) {}

void LiveListener::begin() {
  thread_ = std::thread([this] { run(); });
}

LiveListener::~LiveListener() {
  stops_ = true;
  shutdown(socket_, SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  ::close(socket_);
  if (!file_.empty()) unlink(file_.c_str());
  // The folder is made by the first window.
  if (hasOwnFolder_) rmdir(std::filesystem::path(file_).parent_path().c_str());
  for (const auto& connection : connections_) connection->close();
}

void LiveListener::run() {
  while (!stops_) {
    // A local socket does not always wake when it is shut down.
    pollfd watched{socket_, POLLIN, 0};
    if (poll(&watched, 1, 200) <= 0) continue;
    const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) takeConnection(socket);
  }
}

void LiveListener::takeConnection(int socket) {
  std::erase_if(connections_, [](const auto& connection) { return !connection->isOpen(); });
  const auto isAdmitted = [](const auto& connection) { return connection->isAdmitted(); };
  const std::ptrdiff_t admitted = std::ranges::count_if(connections_, isAdmitted);
  const bool isLocal = token_.empty();
  if (admitted >= mostConnections || (isLocal && !isOfThisUser(socket))) {
    ::close(socket);
    return;
  }
  // Whoever does not know the token must not keep those out who do.
  if (std::ssize(connections_) - admitted >= mostConnections) {
    const auto oldest = std::ranges::find_if_not(connections_, isAdmitted);
    if (oldest != connections_.end()) (*oldest)->close();
  }
  try {
    connections_.push_back(LiveConnection::take(socket, token_, program_, events_));
  } catch (const std::system_error&) {
    // There is no thread for it; its destructor has closed the socket.
  }
}

}  // namespace softscope
