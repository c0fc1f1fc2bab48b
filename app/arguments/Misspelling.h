#pragma once

#include <string>
#include <vector>

namespace softscope {

/// The one of `names` that `word` was probably meant to be: at most a third of its letters away,
/// each letter that is missing, too many, another, or exchanged with the next counting once. Empty
/// where none is near.
std::string nearestName(const std::string& word, const std::vector<std::string>& names);

/// What is wrong with a first argument that stands where a subcommand or a picture would, and is
/// neither one of `subcommands` nor a file: a word of letters and dashes alone. Empty for others.
std::string wrongFirstWord(const std::string& word, const std::vector<std::string>& subcommands);

}  // namespace softscope
