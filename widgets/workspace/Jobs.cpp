#include "widgets/workspace/Jobs.h"

#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr qint64 leastTold = 200;
/// Below these, the pace is not yet known.
constexpr double leastFraction = 0.01;
constexpr qint64 leastElapsed = 1500;
/// Jobs that ended without a result and are still listed.
constexpr std::size_t mostWithoutResult = 10;

}  // namespace

Jobs::Jobs(std::size_t budget, QObject* parent) : QObject(parent), budget_(budget) {
  connect(&worker_, &Worker::progressed, this, &Jobs::noteProgress);
  connect(&worker_, &Worker::failed, this, [this](Worker::Kind, const WorkFailure& failure) {
    end(running_, State::Failed, failure.message);
    Q_EMIT failed(failure);
  });
  connect(&worker_, &Worker::busyChanged, this, [this](bool busy) {
    // A job that gave up by itself delivers nothing.
    if (!busy && running_) end(running_, State::Stopped);
  });
}

Jobs::~Jobs() {
  worker_.disconnect(this);
}

void Jobs::setPreparation(std::function<void()> preparation) {
  worker_.setPreparation(std::move(preparation));
}

void Jobs::begin(Key key, const JobText& text, AnyTask task) {
  const auto isSame = [&key](const Entry& entry) {
    return key.equals(entry.key.subject, key.subject);
  };
  const auto same = std::find_if(entries_.begin(), entries_.end(), isSame);
  if (same != entries_.end() && same->job.isActive()) return;
  std::erase_if(entries_, [&](const Entry& entry) {
    const bool isPassed = text.replacesWaiting && entry.job.state == State::Waiting &&
                          entry.job.text.page == text.page;
    return isPassed || isSame(entry);
  });
  Entry entry;
  entry.job.id = ++lastId_;
  entry.job.text = text;
  entry.key = std::move(key);
  entry.task = std::move(task);
  entry.looked = ++looks_;
  entries_.push_back(std::move(entry));
  runNext();
  Q_EMIT changed();
}

const Jobs::Entry* Jobs::lookAt(const Key& key) {
  for (Entry& entry : entries_) {
    if (!key.equals(entry.key.subject, key.subject)) continue;
    entry.looked = ++looks_;
    return &entry;
  }
  return nullptr;
}

Jobs::Entry* Jobs::entryOf(int id) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [id](const Entry& entry) { return entry.job.id == id; });
  return found == entries_.end() ? nullptr : &*found;
}

void Jobs::runNext() {
  if (running_) return;
  const auto next = std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.job.state == State::Waiting;
  });
  if (next == entries_.end()) return;
  const int id = running_ = next->job.id;
  next->job.state = State::Running;
  sinceStart_.start();
  sinceTold_.invalidate();
  worker_.submit(
      Worker::Kind::Analysis, next->job.text.what,
      [this, id, task = std::move(next->task)](const Progress& progress) -> Worker::Delivery {
        const AnyResult result = task(progress, [this, id](const AnyResult& soFar) {
          worker_.tell([this, id, soFar] { take(id, soFar); });
        });
        return [this, id, result] { finish(id, result); };
      });
}

void Jobs::take(int id, AnyResult soFar) {
  Entry* entry = entryOf(id);
  if (!entry || entry->job.state == State::Done) return;
  entry->kept = std::move(soFar);
  if (entry->job.state == State::Running) Q_EMIT progressed(entry->job.text.page);
}

void Jobs::finish(int id, AnyResult result) {
  if (Entry* entry = entryOf(id)) entry->kept = std::move(result);
  end(id, State::Done);
}

void Jobs::end(int id, State state, const QString& failure) {
  Entry* entry = entryOf(id);
  if (!entry || !entry->job.isActive()) return;
  entry->job.state = state;
  entry->job.failure = failure;
  entry->job.secondsLeft.reset();
  entry->task = {};
  entry->looked = ++looks_;
  if (state == State::Done) entry->job.fraction = 1;
  if (running_ == id) running_ = 0;
  keepWithinBudget();
  runNext();
  Q_EMIT changed();
}

int Jobs::addProcess(const JobText& text, std::function<void()> stop) {
  // A new run about the same subject makes the outcome of an earlier one obsolete.
  std::erase_if(entries_, [&text](const Entry& entry) {
    return entry.job.isProcess && !entry.job.isActive() && entry.job.text.page == text.page &&
           entry.job.text.about == text.about;
  });
  Entry entry;
  entry.job.id = ++lastId_;
  entry.job.text = text;
  entry.job.isProcess = true;
  entry.job.state = State::Running;
  entry.key = keyOf<void>(entry.job.id);
  entry.stop = std::move(stop);
  entry.looked = ++looks_;
  entries_.push_back(std::move(entry));
  Q_EMIT changed();
  return lastId_;
}

void Jobs::noteProcess(int id, const QString& step, double fraction) {
  Entry* entry = entryOf(id);
  if (!entry || !entry->job.isActive()) return;
  entry->job.step = step;
  entry->job.fraction = fraction;
  Q_EMIT progressed(entry->job.text.page);
}

void Jobs::endProcess(int id, State state, const QString& failure) {
  end(id, state, failure);
}

void Jobs::stop(int id) {
  const Entry* entry = entryOf(id);
  if (entry && entry->job.isProcess) {
    // It ends by itself once it has written what it was at. The list may change meanwhile.
    const std::function<void()> ask = entry->stop;
    if (entry->job.isActive() && ask) ask();
    return;
  }
  if (id == running_ && id != 0) {
    // The end is noted first, because cancelling reports that the worker is idle.
    running_ = 0;
    worker_.cancelAll();
  }
  end(id, State::Stopped);
}

std::vector<Jobs::Job> Jobs::all() const {
  std::vector<Job> jobs;
  for (const Entry& entry : entries_) jobs.push_back(entry.job);
  return jobs;
}

bool Jobs::isBusy() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.job.isActive(); });
}

std::size_t Jobs::keptBytes() const {
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) bytes += entry.kept.bytes;
  return bytes;
}

void Jobs::noteProgress(const QString& step, double fraction) {
  Entry* entry = entryOf(running_);
  if (!entry) return;
  entry->job.step = step;
  entry->job.fraction = fraction;
  const qint64 elapsed = sinceStart_.elapsed();
  if (fraction > leastFraction && elapsed > leastElapsed) {
    entry->job.secondsLeft = static_cast<int>(
        std::lround(static_cast<double>(elapsed) / 1000 * (1 - fraction) / fraction));
  }
  if (sinceTold_.isValid() && sinceTold_.elapsed() < leastTold) return;
  sinceTold_.start();
  Q_EMIT progressed(entry->job.text.page);
}

void Jobs::keepWithinBudget() {
  const auto longestUnseen = [this](const auto& counts) {
    auto oldest = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      const bool isOlder = oldest == entries_.end() || entry->looked < oldest->looked;
      if (!entry->job.isActive() && isOlder && counts(*entry)) oldest = entry;
    }
    return oldest;
  };
  const auto hasResult = [](const Entry& entry) { return entry.kept.value != nullptr; };
  const auto hasNone = [&](const Entry& entry) {
    return !entry.job.isActive() && !hasResult(entry);
  };
  while (keptBytes() > budget_ && std::count_if(entries_.begin(), entries_.end(), hasResult) > 1) {
    const auto oldest = longestUnseen(hasResult);
    if (oldest == entries_.end()) break;
    entries_.erase(oldest);
  }
  while (std::count_if(entries_.begin(), entries_.end(), hasNone) >
         static_cast<std::ptrdiff_t>(mostWithoutResult)) {
    entries_.erase(longestUnseen(hasNone));
  }
}

QString timeLeftText(const Jobs::Job& job) {
  if (!job.secondsLeft) return {};
  const int seconds = *job.secondsLeft;
  if (seconds < 90) return Jobs::tr("about %1 s left").arg(std::max(1, seconds));
  if (seconds < 90 * 60) return Jobs::tr("about %1 min left").arg((seconds + 30) / 60);
  return Jobs::tr("about %1 h left").arg(static_cast<double>(seconds) / 3600, 0, 'f', 1);
}

QString jobStateText(const Jobs::Job& job) {
  const QString done = Jobs::tr("%1 % done").arg(static_cast<int>(100 * job.fraction));
  switch (job.state) {
    case Jobs::State::Waiting:
      return Jobs::tr("waits for another measurement");
    case Jobs::State::Running:
      if (job.isProcess) return job.step;
      return job.secondsLeft ? done + captionSeparator + timeLeftText(job) : done;
    case Jobs::State::Stopped:
      return Jobs::tr("stopped, %1").arg(done);
    case Jobs::State::Failed:
      return Jobs::tr("failed: %1").arg(job.failure);
    case Jobs::State::Done:
      break;
  }
  return Jobs::tr("done");
}

}  // namespace softscope
