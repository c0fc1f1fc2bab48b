#pragma once

#include <QtCore/QObject>

#include <deque>
#include <functional>
#include <mutex>

namespace softscope {

/// What other threads have to tell the thread that this lives on. It is handed over under a mutex
/// of our own, and not inside Qt's events, so that the thread sanitizer can follow it.
class Mailbox : public QObject {
  Q_OBJECT

 public:
  using Call = std::function<void()>;

  using QObject::QObject;
  /// Under the mutex, too: that a thread has ended, Qt knows in ways that the sanitizer does not
  /// see.
  ~Mailbox() override;

  /// From any thread: `call` is made on the mailbox's, one event each, in the order they were left.
  /// Those that are left when the mailbox is destroyed are not made.
  void leave(Call call);
  /// From any thread: those that are left and not made yet are not made.
  void forget();

 private Q_SLOTS:
  void makeNextCall();

 private:
  std::mutex mutex_;
  std::deque<Call> calls_;
};

}  // namespace softscope
