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

/// Describes why a piece of work failed.
struct WorkFailure {
  /// The first sentence of `details`, which say everything that is known about the failure.
  QString message;
  QString details;
  /// True if a GPU's memory did not suffice; the CPU's may.
  bool isOfGpuMemory = false;
  /// True if a recording was to be shown on a picture other than its own.
  bool isOfOtherPicture = false;
  /// True if the device is not there on which a network was to run; the CPU is.
  bool isOfDevice = false;
};

/// A single thread for everything that takes longer than a frame. All methods except tell() belong
/// to the thread that made the worker, and results are delivered on that thread.
class Worker : public QObject {
  Q_OBJECT

 public:
  /// Kinds of work; a newer request supersedes an older one of its kind.
  enum class Kind { Picture, Model, Inspection, Columns, Analysis, Checksum };
  Q_ENUM(Kind)

  /// Runs on the thread that made the request and carries the result.
  using Delivery = std::function<void()>;
  /// Runs on the worker's thread. May throw; Cancelled does not count as a failure.
  using Task = std::function<Delivery(const Progress&)>;

  explicit Worker(QObject* parent = nullptr);
  /// Cancels all requests and waits for the task that is running to end.
  ~Worker() override;

  /// Sets a function that runs on the worker before each later piece of work that computes (reading
  /// a picture does not); for settings that each thread must make itself.
  void setPreparation(std::function<void()> preparation);

  /// The fate of a request that was submitted.
  enum class Fate {
    Awaited,
    /// Delivered, failed or given up.
    Ended,
    Superseded,
    /// Dropped by cancel().
    Dropped,
    /// Stopped by cancelAll().
    Stopped
  };

  /// Requests a piece of work; `what` tells the user what it is. Returns what becomes of it, which
  /// changes on the thread that made the worker.
  std::shared_ptr<const Fate> submit(Kind kind, const QString& what, Task task);
  /// Drops the requests of a kind, for something else that the worker does first, or of all kinds,
  /// because the user wants so; results that still arrive are discarded.
  void cancel(Kind kind);
  void cancelAll();
  /// Lets a task report something before it ends: `call` is made on the thread that made the
  /// worker.
  void tell(Mailbox::Call call) { mailbox_.leave(std::move(call)); }
  bool isBusy() const { return !requests_.empty(); }
  bool isBusy(Kind kind) const;

 Q_SIGNALS:
  void busyChanged(bool busy);
  /// Reports progress; `fraction` lies in [0, 1].
  void progressed(const QString& what, double fraction);
  void failed(softscope::Worker::Kind kind, const softscope::WorkFailure& failure);

 private:
  struct Request {
    Kind kind = Kind::Picture;
    QString what;
    Task task;
    std::shared_ptr<Progress> progress;
    std::shared_ptr<Fate> fate = std::make_shared<Fate>(Fate::Awaited);
  };
  using SharedRequest = std::shared_ptr<Request>;

  void run();
  void perform(const SharedRequest& request, const std::function<void()>& prepare);
  void finish(const SharedRequest& request, const Delivery& delivery);
  void fail(const SharedRequest& request, const WorkFailure& failure);
  void drop(Fate fate, const std::function<bool(const Request&)>& matches);
  bool forget(const SharedRequest& request);

  Mailbox mailbox_;
  /// The requests that the owner still waits for; used on the owner's thread only.
  std::list<SharedRequest> requests_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SharedRequest> queue_;
  bool stopping_ = false;
  std::function<void()> preparation_;
  std::thread thread_;
};

}  // namespace softscope
