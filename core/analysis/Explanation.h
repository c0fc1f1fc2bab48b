#pragma once

#include <string>

namespace softscope {

/// An explanation of a page of the window, or of a kind of figure, for readers who know none of the
/// papers.
struct Explanation {
  std::string title;
  /// Two sentences on what the page or figure shows.
  std::string shows;
  std::string lookFor;
  std::string formula;
  /// The paper's figure that it resembles, with the paper's title and year.
  std::string answersTo;
};

/// Reads the explanation of the page or kind of figure called `name` from
/// `resources/explain/NAME.txt`. Each member has a line, `shows: Each panel is ...`, and lines that
/// begin with a space continue it. Throws FileError if the file is missing or lacks a member.
Explanation explanationOf(const std::string& name);

/// Wraps an explanation to lines of at most `width` letters, for `figure KIND --help`, where it
/// stands above the options.
std::string explanationText(const Explanation& explanation, int width);

}  // namespace softscope
