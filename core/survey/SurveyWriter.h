#pragma once

#include "core/Progress.h"
#include "core/survey/Database.h"
#include "core/survey/PictureFile.h"
#include "core/survey/PictureList.h"
#include "core/survey/SurveyPlan.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace softscope {

/// Fills a survey file picture by picture, and continues one that exists. What was written survives
/// a crash of the process or the machine. Used by one thread.
class SurveyWriter {
 public:
  /// Creates the file, or opens it to continue. Throws SurveyError if it is something else, or if
  /// its recipe, pictures or shard differ, naming the difference; pictures differ if their paths
  /// do, or if the file of one that has values has another content, which is read where its time of
  /// the last change is another. May throw Cancelled.
  SurveyWriter(const std::string& path, const SurveyPlan& plan, const Progress& progress = {});

  /// Pictures that are already in the file, without those that could not be read when an earlier
  /// process tried: these are to be tried again.
  const std::set<std::int64_t>& done() const { return done_; }
  /// Returns how many of done() could not be read.
  std::int64_t unreadable() const { return unreadable_; }

  /// From now on, waits for programs that have locked the file, as those do that read it. Calls
  /// `stillWaits` whenever `interval` has passed, from add() and addUnreadable(), which throw what
  /// it throws. Without this, they throw BusyError after 10 s.
  void waitWhileLocked(std::function<void()> stillWaits,
                       std::chrono::milliseconds interval = std::chrono::seconds(1));

  /// Adds a picture in one transaction, in place of what an earlier process could not read; `file`
  /// is what it was measured from, if that is known, and surveys of the first version do not keep
  /// it. Throws SurveyError if another process has added the picture meanwhile.
  void add(std::int64_t picture, const PictureList::Entry& entry, const PictureValues& values,
           const std::optional<PictureFile>& file = std::nullopt);
  /// Adds a picture without values, with the reason why it has none.
  void addUnreadable(std::int64_t picture, const PictureList::Entry& entry,
                     const std::string& reason);

 private:
  void insertPicture(std::int64_t picture, const PictureList::Entry& entry,
                     const std::string& reason);
  void readWhatIsDone(const SurveyPlan& plan, const Progress& progress);
  /// Runs `insert` in a transaction, and again as long as the file is locked.
  void commit(const std::function<void()>& insert);

  Database database_;
  std::set<std::int64_t> done_;
  std::int64_t unreadable_ = 0;
  std::function<void()> stillWaits_;
  Statement removeUnreadable_;
  Statement insertPicture_;
  Statement insertModel_;
  Statement insertLayer_;
  Statement insertHead_;
  /// Empty in a survey of the first version.
  std::optional<Statement> insertFile_;
};

/// Merges surveys of different parts of one folder into `output`, which must not exist yet, and
/// returns its number of pictures. Throws a SurveyError that names the file and the difference if
/// recipes or picture lists disagree, or if a picture is in two files or in none.
std::int64_t mergeSurveys(const std::vector<std::string>& inputs, const std::string& output,
                          const std::string& command, const Progress& progress = {});

}  // namespace softscope
