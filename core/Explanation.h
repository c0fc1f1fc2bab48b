#pragma once

#include <string>

namespace softscope {

/// What somebody who has read no paper is told of a page of the window, or of a kind of figure.
struct Explanation {
  std::string title;
  /// Two sentences of what is seen.
  std::string shows;
  std::string lookFor;
  std::string formula;
  /// The figure of a paper that it is like, with the paper's title and year.
  std::string answersTo;
};

/// Of the page or kind of that name, from `resources/explain/NAME.txt`: a line for each member,
/// `shows: Each panel is ...`, which lines that begin with a space continue. Throws FileError where
/// there is none, or one without all of them.
Explanation explanationOf(const std::string& name);

/// In lines of at most `width` letters, as it stands above the options of `figure KIND --help`.
std::string explanationText(const Explanation& explanation, int width);

}  // namespace softscope
