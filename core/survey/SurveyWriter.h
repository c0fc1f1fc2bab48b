#pragma once

#include "core/survey/Database.h"
#include "core/survey/PictureList.h"
#include "core/survey/SurveyPlan.h"

#include <cstdint>
#include <set>
#include <string>

namespace softscope {

/// Fills a survey file, picture by picture, from where it was. What was written stays whatever
/// happens to the process or the machine. Of one thread.
class SurveyWriter {
 public:
  /// Makes the file, or opens it to go on. Throws SurveyError where it is something else, or was
  /// measured by another recipe, of other pictures or another shard, naming the difference.
  SurveyWriter(const std::string& path, const SurveyPlan& plan);

  /// Pictures that are in the file.
  const std::set<std::int64_t>& done() const { return done_; }
  std::int64_t unreadable() const { return unreadable_; }

  /// Adds a picture, in one transaction. Throws SurveyError where another process added it
  /// meanwhile.
  void add(std::int64_t picture, const PictureList::Entry& entry, const PictureValues& values);
  /// Adds one that has no values, and why.
  void addUnreadable(std::int64_t picture, const PictureList::Entry& entry,
                     const std::string& reason);

 private:
  void insertPicture(std::int64_t picture, const PictureList::Entry& entry,
                     const std::string& reason);
  void readWhatIsDone(std::int64_t pictures);

  Database database_;
  std::set<std::int64_t> done_;
  std::int64_t unreadable_ = 0;
  Statement insertPicture_;
  Statement insertModel_;
  Statement insertLayer_;
  Statement insertHead_;
};

}  // namespace softscope
