#include "app/arguments/Note.h"

#include "core/files/AtomicFile.h"
#include "core/machine/StandardStreams.h"
#include "core/model/SettingOption.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

namespace {

/// Returns true for settings with an option of their own, whose values are numbers.
bool isNumberWithOption(const NetworkSetting& setting) {
  return setting.option == "heads" || setting.option == "landmarks" || setting.option == "size";
}

/// Returns true if no other value is computed. Numbers are open even where no other is listed; of
/// words, all that are possible are, and of metadata keys, those of which one value alone is
/// computed list that one.
bool isOnlyChoice(const NetworkSetting& setting) {
  if (const SettingOption* option = findSettingOption(setting.option)) {
    const std::string_view type = option->type;
    const bool takesWords = type.find('|') != std::string_view::npos && !type.starts_with('N');
    return takesWords && !setting.isChoosable();
  }
  return setting.choices.size() == 1 && !isNumberWithOption(setting);
}

/// Says for all guessed settings how to choose another value.
std::string choosingText(const std::vector<NetworkSetting>& guessed) {
  std::vector<std::string> options, keys, fixed;
  bool isListed = false;
  for (const NetworkSetting& setting : guessed) {
    const bool hasOption = findSettingOption(setting.option) != nullptr ||
                           setting.option == "attention" || isNumberWithOption(setting);
    if (isOnlyChoice(setting)) {
      fixed.push_back(setting.option);
    } else if (hasOption) {
      options.push_back("--" + setting.option);
      isListed = isListed || setting.isChoosable();
    } else {
      keys.push_back(setting.option + "=VALUE");
    }
  }
  std::string text;
  if (!options.empty()) text += "; choose with " + listText(options, " ");
  if (isListed) text += ", softscope inspect lists what else is possible";
  if (!keys.empty())
    text += "; write another with softscope convert --set " + listText(keys, " --set ");
  if (!fixed.empty()) text += "; no other " + listText(fixed) + " is computed";
  return text;
}

/// Says that a file's parameters are left out, as --ignore-unexpected asked for; those inside
/// blocks or modules of attention would surely change what is shown.
std::string leftOutText(const std::vector<std::string>& names) {
  const auto isOfBlock = [](const std::string& name) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    return has("blocks.") || has("layers.") || has("layer.") || has("attn") || has("attention");
  };
  const auto inside = std::find_if(names.begin(), names.end(), isOfBlock);
  const auto count = std::count_if(names.begin(), names.end(), isOfBlock);
  std::string text = countedText(std::ssize(names), "parameter") + " of the file " +
                     (names.size() == 1 ? "is" : "are") + " left out (--ignore-unexpected)";
  if (inside == names.end()) return text;
  return text + ", " + std::to_string(count) + " of them inside blocks (" + quotedText(*inside) +
         " and so on): what is shown is not what the file's network computes";
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
  if (!summary.foreign.empty()) {
    noteOnResult(summary.path + ": " + leftOutText(summary.foreign));
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
  noteOnResult(summary.path + ": the file does not tell " + values + ", which " + verb +
               " assumed" + choosingText(guessed));
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
