#include "core/analysis/Explanation.h"

#include "core/Error.h"
#include "core/files/Resources.h"

#include <cstddef>
#include <fstream>
#include <sstream>
#include <utility>

namespace softscope {
namespace {

struct Entry {
  const char* key;
  std::string Explanation::*member;
};

constexpr Entry explanationEntries[] = {{"title", &Explanation::title},
                                        {"shows", &Explanation::shows},
                                        {"look for", &Explanation::lookFor},
                                        {"formula", &Explanation::formula},
                                        {"answers to", &Explanation::answersTo}};

/// Returns the entry that starts on this line, or null.
const Entry* entryOf(const std::string& line) {
  for (const Entry& entry : explanationEntries) {
    if (line.starts_with(std::string(entry.key) + ": ")) return &entry;
  }
  return nullptr;
}

/// Counts letters, not bytes: a multibyte letter counts at its first byte.
std::size_t lettersIn(const std::string& text) {
  std::size_t letters = 0;
  for (const char byte : text) letters += (static_cast<unsigned char>(byte) & 0xC0) == 0x80 ? 0 : 1;
  return letters;
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    const std::size_t letters = lettersIn(word);
    if (used > 0 && used + 1 + letters > width) {
      result += '\n';
      used = 0;
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += letters;
  }
  return result;
}

}  // namespace

Explanation explanationOf(const std::string& name) {
  const std::string path = resourcePath("explain/" + name + ".txt");
  std::ifstream file(path);
  Explanation explanation;
  std::string* current = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (const Entry* entry = entryOf(line)) {
      current = &(explanation.*entry->member);
      *current = line.substr(std::string(entry->key).size() + 2);
    } else if (current && line.starts_with(" ")) {
      *current += ' ' + line.substr(line.find_first_not_of(' '));
    }
  }
  for (const Entry& entry : explanationEntries) {
    if (!(explanation.*entry.member).empty()) continue;
    throw FileError(path, std::string("lacks a line that begins with \"") + entry.key + ": \"");
  }
  return explanation;
}

std::string explanationText(const Explanation& explanation, int width) {
  const auto columns = static_cast<std::size_t>(width);
  const std::pair<const char*, const std::string&> parts[] = {
      {"", explanation.shows},
      {"Look for: ", explanation.lookFor},
      {"Formula: ", explanation.formula},
      {"Answers to: ", explanation.answersTo}};
  std::string text = explanation.title;
  for (const auto& [head, words] : parts) text += "\n\n" + wrapped(head + words, columns);
  return text;
}

}  // namespace softscope
