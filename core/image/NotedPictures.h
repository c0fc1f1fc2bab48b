#pragma once

#include <cstddef>
#include <string>

namespace softscope {

/// Counts the pictures of a data set that sourceNote() says something about, for one line about all
/// of them.
class NotedPictures {
 public:
  /// A picture's note; nothing is counted where it is empty.
  void add(const std::string& path, const std::string& note);

  /// `3 pictures are not fed as they are stored, the first: PATH: NOTE`; empty where there is none.
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

}  // namespace softscope
