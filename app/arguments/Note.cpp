#include "app/arguments/Note.h"

#include "core/files/AtomicFile.h"
#include "core/machine/StandardStreams.h"
#include "core/model/SettingOption.h"
#include "core/text/Words.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

/// Returns true if the setting has an option, and not just a metadata key, that can choose another
/// value. Numbers are open even where no other is listed; of words, all that are possible are.
bool hasOption(const NetworkSetting& setting) {
  if (const SettingOption* option = findSettingOption(setting.option)) {
    const std::string_view type = option->type;
    const bool takesWords = type.find('|') != std::string_view::npos && !type.starts_with('N');
    return setting.isChoosable() || !takesWords;
  }
  return setting.option == "heads" || setting.option == "attention" ||
         setting.option == "landmarks" || setting.option == "size";
}

std::vector<std::string>& notesOnResult() {
  static std::vector<std::string> notes;
  return notes;
}

}  // namespace

GuessedFor guessedFor(const std::string& path) {
  return path.ends_with(".npy") ? GuessedFor::Tensor : GuessedFor::Pictures;
}

void noteGuesses(const ModelSummary& summary, GuessedFor input) {
  for (const std::string& file : summary.passedOver) {
    noteOnResult(summary.path + ": " + file + "; it is passed over");
  }
  if (!summary.takenForGranted.empty()) {
    noteOnResult(summary.path +
                 ": the file does not tell what is taken for granted: " + summary.takenForGranted);
  }
  if (input == GuessedFor::Pictures) {
    for (const std::string& doubt : summary.preparationDoubts) {
      noteOnResult(summary.path + ": " + doubt);
    }
  }
  std::vector<NetworkSetting> guessed = summary.undetermined();
  std::erase_if(guessed, [&](const NetworkSetting& setting) {
    const bool isOfPictures =
        setting.option == "size" || setting.option == "mean" || setting.option == "std";
    return input == GuessedFor::Tensor && isOfPictures;
  });
  if (guessed.empty()) return;
  const std::string values = listText(guessed, ", ", [](const NetworkSetting& setting) {
    return setting.option + " (" + setting.value + ")";
  });
  const std::string verb = guessed.size() == 1 ? "is" : "are";
  std::erase_if(guessed, [](const NetworkSetting& setting) { return !hasOption(setting); });
  const std::string options =
      listText(guessed, " ", [](const NetworkSetting& setting) { return "--" + setting.option; });
  const std::string line = summary.path + ": the file does not tell " + values + ", which " + verb +
                           " assumed; " + (options.empty() ? "" : "choose with " + options + ", ") +
                           "softscope inspect lists what else is possible";
  noteOnResult(line);
}

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
  if (!isStreamPath(path)) std::cout << printableName(path) << what << '\n';
}

}  // namespace softscope
