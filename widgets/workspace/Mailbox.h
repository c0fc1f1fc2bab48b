#pragma once

#include <QtCore/QObject>

#include <deque>
#include <functional>
#include <mutex>

namespace softscope {

/// Passes calls from other threads to the thread of this object. They are handed over under its own
/// mutex rather than inside Qt's events, so that the thread sanitizer can follow it.
class Mailbox : public QObject {
  Q_OBJECT

 public:
  using Call = std::function<void()>;

  using QObject::QObject;
  /// Also locks the mutex, because Qt synchronises with the end of a thread in ways that the
  /// sanitizer cannot see.
  ~Mailbox() override;

  /// May be called from any thread. `call` is made on the mailbox's thread, one per event, in the
  /// order in which calls were left. Calls that remain when the mailbox is destroyed are not made.
  void leave(Call call);
  /// May be called from any thread. Discards the calls that have not been made yet.
  void forget();

 private Q_SLOTS:
  void makeNextCall();

 private:
  std::mutex mutex_;
  std::deque<Call> calls_;
};

}  // namespace softscope
