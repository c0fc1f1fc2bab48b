#pragma once

#include <cstddef>
#include <string>

namespace softscope {

/// Counts the pictures of a data set that have a sourceNote(), and describes them all in one line.
class NotedPictures {
 public:
  /// Adds a picture's note; an empty note is not counted.
  void add(const std::string& path, const std::string& note);

  /// Returns `3 pictures are not fed as they are stored, the first: PATH: NOTE`; empty if no
  /// picture has a note.
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

}  // namespace softscope
