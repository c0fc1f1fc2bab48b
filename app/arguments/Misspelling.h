#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Returns the one of `names` that `word` was probably meant to be: at most a third of its letters
/// differ, counting each missing, extra, wrong or swapped letter once. Empty if none is close
/// enough.
std::string nearestName(const std::string& word, const std::vector<std::string>& names);

/// Says that a first argument is neither one of `subcommands` nor a file, and which subcommand may
/// have been meant. Returns an empty text for a subcommand or a file, and for anything but a word
/// of letters and dashes.
std::string wrongFirstWord(const std::string& word, const std::vector<std::string>& subcommands);

}  // namespace softscope
