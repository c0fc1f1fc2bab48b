#include "app/arguments/Note.h"

#include "core/files/AtomicFile.h"
#include "core/machine/StandardStreams.h"
#include "core/text/Words.h"

#include <algorithm>
#include <iostream>
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
  // Notes on guesses name every one.
  constexpr std::size_t longest = 2048;
  for (const std::string& text : notesOnResult()) {
    writeStandardError("softscope: " + printableText(text, longest) + '\n');
  }
  notesOnResult().clear();
}

void sayWritten(const std::string& path, const std::string& what) {
  if (!isStreamPath(path)) std::cout << path << what << '\n';
}

}  // namespace softscope
