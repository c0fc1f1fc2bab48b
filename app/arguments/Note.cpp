#include "app/arguments/Note.h"

#include "core/PrintableText.h"

#include <iostream>

namespace softscope {

void note(const std::string& text) {
  std::cerr << "softscope: " << printableText(text) << '\n';
}

}  // namespace softscope
