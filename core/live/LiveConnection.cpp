#include "core/live/LiveConnection.h"

#include "core/Error.h"
#include "core/files/Malformed.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace softscope {

namespace {

/// Time that a process has for its whole greeting, and later for each next piece of a message it
/// has begun.
constexpr int patienceMilliseconds = 10'000;
/// A message grows as its bytes arrive, not by the size it announces.
constexpr std::size_t pieceBytes = std::size_t(1) << 20;

/// Thrown if the other side closed the connection.
class Hangup : public std::runtime_error {
 public:
  Hangup() : std::runtime_error("hang-up") {}
};

/// Compares in a time that does not tell how much of the token was right.
bool isToken(const std::string& given, const std::string& token) {
  unsigned char differs = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < token.size(); ++i) {
    differs |= static_cast<unsigned char>(token[i] ^ (i < given.size() ? given[i] : 0));
  }
  return differs == 0;
}

}  // namespace

std::shared_ptr<LiveConnection> LiveConnection::take(int socket, std::string token,
                                                     std::string program, Events events) {
  std::shared_ptr<LiveConnection> connection(
      new LiveConnection(socket, std::move(token), std::move(program), std::move(events)));
  // The thread shares no ownership, so that it never has to wait for itself.
  connection->reader_ = std::thread([raw = connection.get()] { raw->run(); });
  return connection;
}

LiveConnection::LiveConnection(int socket, std::string token, std::string program, Events events)
    : socket_(socket),
      token_(std::move(token)),
      program_(std::move(program)),
      events_(std::move(events)),
      greetingEnds_(std::chrono::steady_clock::now() +
                    std::chrono::milliseconds(patienceMilliseconds)) {}

LiveConnection::~LiveConnection() {
  close();
  if (reader_.joinable()) reader_.join();
  if (writer_.joinable()) writer_.join();
  ::close(socket_);
}

bool LiveConnection::isAdmitted() const {
  const std::lock_guard lock(mutex_);
  return !greetingEnds_;
}

bool LiveConnection::isOpen() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

void LiveConnection::close() {
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  changed_.notify_all();
  // Wakes the threads; the descriptor itself stays until nobody can use it.
  shutdown(socket_, SHUT_RDWR);
}

void LiveConnection::run() {
  std::string reason;
  try {
    admit();
    while (true) take(readLiveMessage(read(largestLivePayload, std::nullopt)));
  } catch (const Hangup&) {
  } catch (const std::exception& error) {
    reason = sentenceOf(error);
  }
  const bool wasOpen = isOpen();
  close();
  if (wasOpen) events_.ended(*this, reason);
}

void LiveConnection::admit() {
  LiveMessage message = LiveReply{};
  try {
    message = readLiveMessage(read(0, patienceMilliseconds));
  } catch (const Malformed& error) {
    send(refusalFrame(error.what()), patienceMilliseconds);
    throw;
  }
  auto* greeting = std::get_if<LiveGreeting>(&message);
  const auto refuse = [this](const std::string& reason) {
    send(refusalFrame(reason), patienceMilliseconds);
    throw Malformed("it was refused: " + reason);
  };
  if (greeting == nullptr) refuse("the first message is not a hello");
  if (greeting->protocol != liveProtocol) {
    refuse("it speaks version " + std::to_string(greeting->protocol) +
           " of the protocol, and this window speaks " + std::to_string(liveProtocol) +
           "; install the same version of both");
  }
  if (!isToken(greeting->token, token_)) {
    refuse("the token is missing or wrong; use the address that softscope --listen printed last");
  }
  send(welcomeFrame(program_), patienceMilliseconds);
  {
    const std::lock_guard lock(mutex_);
    greetingEnds_.reset();
  }
  writer_ = std::thread([this] { writeQuestions(); });
  events_.admitted(shared_from_this(), std::move(*greeting));
}

void LiveConnection::take(LiveMessage message) {
  if (auto* step = std::get_if<LiveStep>(&message)) {
    events_.stepped(*this, std::move(*step));
  } else if (auto* picture = std::get_if<LivePicture>(&message)) {
    events_.brought(*this, std::move(*picture));
  } else if (auto* reply = std::get_if<LiveReply>(&message)) {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(reply->id);
    // An answer to a question that was cancelled is of no use to anyone.
    if (found != waiting_.end()) found->second = std::move(*reply);
    changed_.notify_all();
  } else {
    throw Malformed("it sent a second hello");
  }
}

LiveAnswer LiveConnection::ask(const LiveQuestion& question,
                               const std::function<void()>& throwIfCancelled) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++lastId_;
  }
  // Outside of the lock: a picture takes its time.
  LiveFrame frame = questionFrame(id, question);
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(id, std::nullopt);
    outgoing_.push_back({id, std::move(frame)});
  }
  changed_.notify_all();
  const auto forget = [this, id] {
    const std::lock_guard lock(mutex_);
    waiting_.erase(id);
    // A question that the writer has begun to send is no longer in the queue: it is sent to its
    // end, or the process would read the next one as its rest.
    std::erase_if(outgoing_, [id](const Outgoing& outgoing) { return outgoing.id == id; });
  };
  try {
    std::unique_lock lock(mutex_);
    while (!waiting_[id] && open_) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      lock.unlock();
      if (throwIfCancelled) throwIfCancelled();
      lock.lock();
    }
    if (!waiting_[id]) throw Hangup();
    LiveReply reply = std::move(*waiting_[id]);
    waiting_.erase(id);
    if (!reply.error.empty()) throw InspectionError("Python answers: " + reply.error);
    return std::move(reply.answer);
  } catch (const Hangup&) {
    forget();
    throw InspectionError("the Python process that runs it is gone");
  } catch (...) {
    forget();
    throw;
  }
}

LiveFrame LiveConnection::read(std::uint64_t largestPayload, std::optional<int> patience) {
  std::string head;
  readExactly(head, liveFrameHead, patience);
  const LiveFrameSizes sizes = frameSizes(head, largestPayload);
  LiveFrame frame;
  readExactly(frame.json, sizes.json, patienceMilliseconds);
  readExactly(frame.payload, static_cast<std::size_t>(sizes.payload), patienceMilliseconds);
  return frame;
}

void LiveConnection::await(short what, std::optional<int> patience) {
  using std::chrono::milliseconds;
  // Otherwise a byte at a time would keep a place for days.
  if (greetingEnds_) {
    const auto left = *greetingEnds_ - std::chrono::steady_clock::now();
    patience =
        static_cast<int>(std::max(milliseconds(0), std::chrono::ceil<milliseconds>(left)).count());
  }
  pollfd watched{socket_, what, 0};
  int ready = 0;
  do {
    ready = poll(&watched, 1, patience.value_or(-1));
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) throw Hangup();
  const bool isLate = greetingEnds_ && patience == 0;
  if (ready > 0 && !isLate) return;
  const std::string seconds = std::to_string(patienceMilliseconds / 1000) + " seconds";
  throw Malformed(greetingEnds_ ? "it did not greet within " + seconds
                                : "it fell silent for " + seconds + " in the middle of a message");
}

void LiveConnection::readExactly(std::string& bytes, std::size_t size,
                                 std::optional<int> patience) {
  while (bytes.size() < size) {
    await(POLLIN, patience);
    // Whoever has begun must go on.
    patience = patienceMilliseconds;
    const std::size_t begin = bytes.size();
    bytes.resize(begin + std::min(size - begin, pieceBytes));
    const ssize_t got = recv(socket_, bytes.data() + begin, bytes.size() - begin, 0);
    bytes.resize(begin + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) throw Hangup();
    if (got < 0 && errno != EINTR && errno != EAGAIN) throw Hangup();
  }
}

void LiveConnection::writeQuestions() {
  try {
    while (true) {
      LiveFrame frame;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !open_ || !outgoing_.empty(); });
        if (!open_) return;
        frame = std::move(outgoing_.front().frame);
        outgoing_.pop_front();
      }
      send(frame, std::nullopt);
    }
  } catch (const Hangup&) {
    // Wakes the reader, which ends the connection and says so.
    shutdown(socket_, SHUT_RDWR);
  }
}

void LiveConnection::send(const LiveFrame& frame, std::optional<int> patience) {
  sendAll(frameHead(frame), patience);
  sendAll(frame.json, patience);
  sendAll(frame.payload, patience);
}

void LiveConnection::sendAll(const std::string& bytes, std::optional<int> patience) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    await(POLLOUT, patience);
    const ssize_t sent =
        ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) done += static_cast<std::size_t>(sent);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) throw Hangup();
  }
}

}  // namespace softscope
