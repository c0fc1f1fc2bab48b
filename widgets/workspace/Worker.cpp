#include "widgets/workspace/Worker.h"

#include "core/Error.h"
#include "core/image/SeenPicture.h"

#include <algorithm>
#include <chrono>
#include <new>

namespace softscope {
namespace {

/// Returns the first line of a message, without what libraries append after it.
QString firstLine(const QString& text) {
  return text.section(QLatin1Char('\n'), 0, 0).trimmed();
}

}  // namespace

Worker::Worker(QObject* parent) : QObject(parent), thread_([this] { run(); }) {}

Worker::~Worker() {
  for (const SharedRequest& request : requests_) request->progress->cancel();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  changed_.notify_one();
  thread_.join();
}

void Worker::setPreparation(std::function<void()> preparation) {
  const std::lock_guard lock(mutex_);
  preparation_ = std::move(preparation);
}

std::shared_ptr<const Worker::Fate> Worker::submit(Kind kind, const QString& what, Task task) {
  drop(Fate::Superseded, [kind](const Request& request) { return request.kind == kind; });
  auto request = std::make_shared<Request>();
  request->kind = kind;
  request->what = what;
  request->task = std::move(task);
  // The request outlives its own progress; a strong reference here would keep both alive for ever.
  const std::weak_ptr<Request> weak = request;
  auto last = std::make_shared<std::chrono::steady_clock::time_point>();
  request->progress =
      std::make_shared<Progress>([this, weak, last](double fraction, const std::string& step) {
        const auto now = std::chrono::steady_clock::now();
        if (now - *last < std::chrono::milliseconds(30) && fraction < 1) return;
        *last = now;
        tell([this, weak, fraction, text = QString::fromStdString(step)] {
          const SharedRequest running = weak.lock();
          if (!running || running->progress->cancelled()) return;
          Q_EMIT progressed(text.isEmpty() ? running->what : text, fraction);
        });
      });

  const bool wasBusy = isBusy();
  requests_.push_back(request);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(request);
  }
  changed_.notify_one();
  if (!wasBusy) Q_EMIT busyChanged(true);
  Q_EMIT progressed(what, 0);
  return request->fate;
}

void Worker::cancel(Kind kind) {
  const bool wasBusy = isBusy();
  drop(Fate::Dropped, [kind](const Request& request) { return request.kind == kind; });
  if (wasBusy && !isBusy()) Q_EMIT busyChanged(false);
}

void Worker::cancelAll() {
  const bool wasBusy = isBusy();
  drop(Fate::Stopped, [](const Request&) { return true; });
  if (wasBusy) Q_EMIT busyChanged(false);
}

bool Worker::isBusy(Kind kind) const {
  return std::any_of(requests_.begin(), requests_.end(),
                     [kind](const SharedRequest& request) { return request->kind == kind; });
}

void Worker::drop(Fate fate, const std::function<bool(const Request&)>& matches) {
  std::erase_if(requests_, [&](const SharedRequest& request) {
    if (!matches(*request)) return false;
    request->progress->cancel();
    *request->fate = fate;
    return true;
  });
}

void Worker::run() {
  for (;;) {
    SharedRequest request;
    std::function<void()> prepare;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      request = std::move(queue_.front());
      queue_.pop_front();
      prepare = preparation_;
    }
    if (!request->progress->cancelled()) perform(request, prepare);
  }
}

void Worker::perform(const SharedRequest& request, const std::function<void()>& prepare) {
  const auto tellFailure = [&](const WorkFailure& failure) {
    tell([this, request, failure] { fail(request, failure); });
  };
  try {
    if (prepare && request->kind != Kind::Picture) prepare();
    Delivery delivery = request->task(*request->progress);
    tell([this, request, delivery = std::move(delivery)] { finish(request, delivery); });
  } catch (const Cancelled&) {
    tell([this, request] { finish(request, {}); });
  } catch (const std::bad_alloc& error) {
    tellFailure({QString::fromStdString(sentenceOf(error)), request->what});
  } catch (const std::exception& error) {
    const QString details = QString::fromUtf8(error.what());
    tellFailure({firstLine(details), details,
                 dynamic_cast<const GpuMemoryError*>(&error) != nullptr,
                 dynamic_cast<const OtherPictureError*>(&error) != nullptr,
                 dynamic_cast<const DeviceError*>(&error) != nullptr});
  }
}

bool Worker::forget(const SharedRequest& request) {
  const auto found = std::find(requests_.begin(), requests_.end(), request);
  if (found == requests_.end()) return false;
  requests_.erase(found);
  *request->fate = Fate::Ended;
  return true;
}

void Worker::finish(const SharedRequest& request, const Delivery& delivery) {
  if (!forget(request)) return;
  // The delivery may make new requests; the window then stays busy without flickering in between.
  if (delivery) delivery();
  if (!isBusy()) Q_EMIT busyChanged(false);
}

void Worker::fail(const SharedRequest& request, const WorkFailure& failure) {
  if (!forget(request)) return;
  Q_EMIT failed(request->kind, failure);
  if (!isBusy()) Q_EMIT busyChanged(false);
}

}  // namespace softscope
