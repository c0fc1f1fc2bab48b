#include "app/arguments/Note.h"

#include "core/PrintableText.h"
#include "core/StandardError.h"

namespace softscope {

void note(const std::string& text) {
  writeStandardError("softscope: " + printableText(text) + '\n');
}

}  // namespace softscope
