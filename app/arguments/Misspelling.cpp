#include "app/arguments/Misspelling.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <system_error>

namespace softscope {
namespace {

/// Returns the optimal string alignment distance: that of Damerau and Levenshtein, but with each
/// place changed only once.
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) distance[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      distance[i][j] = std::min(
          {distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + other});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[a.size()][b.size()];
}

bool isWord(const std::string& text) {
  return !text.empty() && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](unsigned char letter) {
           return std::isalpha(letter) || letter == '-' || letter == '_';
         });
}

}  // namespace

std::string nearestName(const std::string& word, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = editDistance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string wrongFirstWord(const std::string& word, const std::vector<std::string>& subcommands) {
  std::error_code failed;
  const bool known = std::find(subcommands.begin(), subcommands.end(), word) != subcommands.end();
  if (known || !isWord(word) || std::filesystem::exists(word, failed)) return {};
  const std::string nearest = nearestName(word, subcommands);
  return "\"" + word + "\" is neither a subcommand nor a file; " +
         (nearest.empty() ? "softscope --help tells what there is"
                          : "did you mean softscope " + nearest + "?");
}

}  // namespace softscope
