#include "app/arguments/Note.h"

#include <iostream>

namespace softscope {

void note(const std::string& text) {
  std::cerr << "softscope: " << text << '\n';
}

}  // namespace softscope
