#pragma once

#include "widgets/workspace/Worker.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QObject>
#include <QtCore/QString>

#include <any>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {

/// The words in which lists show a job.
struct JobText {
  /// Name of the page that shows the result.
  QString page;
  /// Name of the measurement, such as `Deletion`.
  QString what;
  /// The model and the picture that it is about; may be empty.
  QString about;
  /// The job takes the place of one of the same page that still waits.
  bool replacesWaiting = true;
  /// The job writes a file, whose name tells more than the job's.
  bool writesFile = false;
  /// A page started the job by being shown, so that closing the window need not ask about it.
  bool isStartedByPage = false;
};

/// Work of minutes: measurements that go on while the user looks at other pages, layers and
/// pictures. They run one after another on a thread of their own, so that quick analyses never wait
/// for them. Results are kept for what they were measured on until they take more memory than the
/// budget; the results that were last looked at the longest ago are forgotten first.
class Jobs : public QObject {
  Q_OBJECT

 public:
  enum class State { Waiting, Running, Done, Stopped, Failed };

  /// One job as lists show it.
  struct Job {
    int id = 0;
    JobText text;
    State state = State::Waiting;
    /// The part that is done, in [0, 1], and the present step in words.
    double fraction = 0;
    QString step;
    /// Seconds until the end, judged by the pace so far; empty while that is not known.
    std::optional<int> secondsLeft;
    /// Why the job failed; empty otherwise.
    QString failure;
    /// True for work of another process, whose `step` says how far it is.
    bool isProcess = false;

    bool isActive() const { return state == State::Waiting || state == State::Running; }
  };

  /// The result for a subject, as far as there is one.
  template <typename Result>
  struct Known {
    /// Empty if no such job was started, or if its result is no longer kept.
    std::optional<Job> job;
    /// The whole result; null until the job is done.
    std::shared_ptr<const Result> result;
    /// The part that a running or stopped job has measured; null if there is none, and once all is.
    std::shared_ptr<const Result> soFar;
  };

  /// Takes what has been measured so far; called on the jobs' thread.
  template <typename Result>
  using Teller = std::function<void(Result)>;
  /// Measures on the jobs' thread. May throw.
  template <typename Result>
  using Task = std::function<Result(const Progress&, const Teller<Result>&)>;

  /// Memory for kept results, in bytes. The latest result is kept whatever its size.
  static constexpr std::size_t defaultBudget = std::size_t{256} << 20;

  explicit Jobs(std::size_t budget = defaultBudget, QObject* parent = nullptr);
  ~Jobs() override;

  /// Sets a function that runs on the jobs' thread before each of them.
  void setPreparation(std::function<void()> preparation);

  /// Starts a measurement of `subject`, which is compared by ==, or queues it behind those that are
  /// running; does nothing if the same is running or waiting. Replaces an earlier result. A job of
  /// the same page that still waits is dropped, because the user has chosen something else since,
  /// unless the new one does not replace it. `bytesOf(result)` must return the size of a result.
  template <typename Result, typename Subject>
  void start(const Subject& subject, const JobText& text, Task<Result> task) {
    begin(keyOf<Result>(subject), text,
          [task = std::move(task)](const Progress& progress, const AnyTeller& tell) {
            const auto result =
                std::make_shared<const Result>(task(progress, [&tell](Result soFar) {
                  const std::size_t bytes = bytesOf(soFar);
                  tell({std::make_shared<const Result>(std::move(soFar)), bytes});
                }));
            return AnyResult{result, bytesOf(*result)};
          });
  }

  /// Returns what is known for `subject`, and counts as looking at it.
  template <typename Result, typename Subject>
  Known<Result> find(const Subject& subject) {
    const Entry* entry = lookAt(keyOf<Result>(subject));
    if (!entry) return {};
    const auto found = std::static_pointer_cast<const Result>(entry->kept.value);
    return entry->job.state == State::Done ? Known<Result>{entry->job, found, nullptr}
                                           : Known<Result>{entry->job, nullptr, found};
  }

  /// Lists work that another process does beside the jobs, until endProcess(). `stop` asks the
  /// process to end. Returns the id of the entry.
  int addProcess(const JobText& text, std::function<void()> stop);
  /// Notes how far a process is, in words and as a part of the whole.
  void noteProcess(int id, const QString& step, double fraction);
  void endProcess(int id, State state, const QString& failure = {});

  /// Stops a job; what it told so far is kept. A process is asked to end. Does nothing if it has
  /// ended.
  void stop(int id);
  /// Returns all jobs, the latest last.
  std::vector<Job> all() const;
  /// True if a job runs or waits.
  bool isBusy() const;
  /// Returns the size of all kept results in bytes.
  std::size_t keptBytes() const;

 Q_SIGNALS:
  /// A job was started, has begun or ended, or was forgotten.
  void changed();
  /// A running job has come further, or told what it measured so far; sent some times a second.
  void progressed(const QString& page);
  void failed(const softscope::WorkFailure& failure);

 private:
  struct AnyResult {
    std::shared_ptr<const void> value;
    std::size_t bytes = 0;
  };
  using AnyTeller = std::function<void(AnyResult)>;
  using AnyTask = std::function<AnyResult(const Progress&, const AnyTeller&)>;
  /// A subject of any type, which also tells the type of the result.
  struct Key {
    std::any subject;
    bool (*equals)(const std::any&, const std::any&) = nullptr;
  };
  struct Entry {
    Job job;
    Key key;
    AnyTask task;
    /// Ends a process; empty for jobs of this one.
    std::function<void()> stop;
    AnyResult kept;
    /// When the result was looked at last, by a count of looks.
    std::size_t looked = 0;
  };

  template <typename Result, typename Subject>
  static Key keyOf(const Subject& subject) {
    using Both = std::pair<Subject, Result*>;
    return {Both(subject, nullptr), [](const std::any& a, const std::any& b) {
              const auto* left = std::any_cast<Both>(&a);
              const auto* right = std::any_cast<Both>(&b);
              return left && right && left->first == right->first;
            }};
  }

  void begin(Key key, const JobText& text, AnyTask task);
  const Entry* lookAt(const Key& key);
  Entry* entryOf(int id);
  void runNext();
  void take(int id, AnyResult soFar);
  void finish(int id, AnyResult result);
  void end(int id, State state, const QString& failure = {});
  void noteProgress(const QString& step, double fraction);
  void keepWithinBudget();

  std::size_t budget_;
  std::vector<Entry> entries_;
  /// Id of the job that runs; 0 if none does.
  int running_ = 0;
  int lastId_ = 0;
  std::size_t looks_ = 0;
  QElapsedTimer sinceStart_;
  QElapsedTimer sinceTold_;
  /// The thread that runs the jobs. It is declared last, so that it ends before the members that
  /// its calls use are destroyed.
  Worker worker_;
};

/// Returns how far a job is, in words such as `44 % done · about 3 min left`, for a line beside
/// what it has measured so far.
QString jobStateText(const Jobs::Job& job);
/// Returns the time left in words, such as `about 3 min left`; empty while it is not known.
QString timeLeftText(const Jobs::Job& job);

}  // namespace softscope
