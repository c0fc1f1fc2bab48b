#include "widgets/workspace/Mailbox.h"

#include <QtCore/QMetaObject>

#include <utility>

namespace softscope {

Mailbox::~Mailbox() {
  forget();
}

void Mailbox::leave(Call call) {
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  // The method is given by name, because a pointer to it would be copied into the event.
  QMetaObject::invokeMethod(this, "makeNextCall", Qt::QueuedConnection);
}

void Mailbox::forget() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
}

void Mailbox::makeNextCall() {
  Call call;
  {
    const std::lock_guard lock(mutex_);
    if (calls_.empty()) return;
    call = std::move(calls_.front());
    calls_.pop_front();
  }
  call();
}

}  // namespace softscope
