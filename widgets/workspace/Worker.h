#pragma once

#include "core/Progress.h"
#include "widgets/workspace/Mailbox.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace softscope {

/// Why a piece of work failed.
struct WorkFailure {
  /// The first sentence of `details`, which are everything that is known.
  QString message;
  QString details;
  /// Whether a GPU's memory did not suffice: the CPU's may.
  bool isOfGpuMemory = false;
  /// Whether a recording was to be shown on a picture that is not its own.
  bool isOfOtherPicture = false;
};

/// One thread for everything that takes longer than a frame. All methods but tell() belong to the
/// thread that made it, and results come back to that thread.
class Worker : public QObject {
  Q_OBJECT

 public:
  /// A newer request supersedes an older one of its kind.
  enum class Kind { Picture, Model, Inspection, Columns, Analysis };
  Q_ENUM(Kind)

  /// Runs where the request was made, with the result in it.
  using Delivery = std::function<void()>;
  /// Runs on the worker. May throw; Cancelled is no failure.
  using Task = std::function<Delivery(const Progress&)>;

  explicit Worker(QObject* parent = nullptr);
  /// Cancels everything and waits for the call that is running.
  ~Worker() override;

  /// Runs on the worker before each piece of work from now on that computes, which reading a
  /// picture does not: what a thread has to be told itself.
  void setPreparation(std::function<void()> preparation);

  /// Asks for a piece of work; `what` says to the user what it is.
  void submit(Kind kind, const QString& what, Task task);
  /// Forgets requests of a kind, or all: results that still come are dropped.
  void cancel(Kind kind);
  void cancelAll();
  /// For a task, what is to be said before it ends: `call` is made on the thread that made this.
  void tell(Mailbox::Call call) { mailbox_.leave(std::move(call)); }
  bool isBusy() const { return !requests_.empty(); }
  bool isBusy(Kind kind) const;

 Q_SIGNALS:
  void busyChanged(bool busy);
  /// `fraction` lies in [0, 1].
  void progressed(const QString& what, double fraction);
  void failed(softscope::Worker::Kind kind, const softscope::WorkFailure& failure);

 private:
  struct Request {
    Kind kind = Kind::Picture;
    QString what;
    Task task;
    std::shared_ptr<Progress> progress;
  };
  using SharedRequest = std::shared_ptr<Request>;

  void run();
  void perform(const SharedRequest& request, const std::function<void()>& prepare);
  void finish(const SharedRequest& request, const Delivery& delivery);
  void fail(const SharedRequest& request, const WorkFailure& failure);
  void drop(const std::function<bool(const Request&)>& matches);
  bool forget(const SharedRequest& request);

  Mailbox mailbox_;
  /// What the owner still waits for; the owner's thread only.
  std::list<SharedRequest> requests_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SharedRequest> queue_;
  bool stopping_ = false;
  std::function<void()> preparation_;
  std::thread thread_;
};

}  // namespace softscope
