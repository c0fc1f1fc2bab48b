#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Returns the one of `names` that `word` was probably meant to be: at most a third of its letters
/// differ, counting each missing, extra, wrong or swapped letter once. Empty if none is close
/// enough.
std::string nearestName(const std::string& word, const std::vector<std::string>& names);

/// Describes what is wrong with a first argument in the place of a subcommand or a picture that is
/// neither one of `subcommands` nor a file. Only for words of letters and dashes; empty for others.
std::string wrongFirstWord(const std::string& word, const std::vector<std::string>& subcommands);

}  // namespace softscope
