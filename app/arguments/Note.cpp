#include "app/arguments/Note.h"

#include "core/machine/StandardStreams.h"
#include "core/text/Words.h"

#include <algorithm>
#include <vector>

namespace softscope {
namespace {

std::vector<std::string>& notesOnResult() {
  static std::vector<std::string> notes;
  return notes;
}

}  // namespace

void note(const std::string& text) {
  writeStandardError("softscope: " + printableText(text) + '\n');
}

void noteOnResult(const std::string& text) {
  std::vector<std::string>& notes = notesOnResult();
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

void sayNotesOnResult() {
  for (const std::string& text : notesOnResult()) note(text);
  notesOnResult().clear();
}

}  // namespace softscope
