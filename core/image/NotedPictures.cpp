#include "core/image/NotedPictures.h"

namespace softscope {

void NotedPictures::add(const std::string& path, const std::string& note) {
  if (note.empty()) return;
  if (count_ == 0) first_ = path + ": " + note;
  ++count_;
}

std::string NotedPictures::text() const {
  if (count_ == 0) return {};
  if (count_ == 1) return "a picture is not fed as it is stored: " + first_;
  return std::to_string(count_) + " pictures are not fed as they are stored, the first: " + first_;
}

}  // namespace softscope
