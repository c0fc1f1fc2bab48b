#include "app/arguments/SurveyPart.h"

#include "app/arguments/Note.h"

namespace softscope {

void notePartOfSurvey(const std::string& path, const SurveyIndex& index) {
  const std::string part = index.partText();
  if (part.empty()) return;
  const bool isCutShort = std::ssize(index.pictures) < index.plannedPictures().value_or(0);
  noteOnResult(path + ": " + part +
               (isCutShort ? "; the survey was stopped or still runs; the same `softscope survey` "
                             "command continues it"
                           : "; `softscope merge` puts shards together"));
}

}  // namespace softscope
