#include "core/Error.h"

#include <new>

namespace softscope {

std::string sentenceOf(const std::exception& error) {
  const bool lacksMemory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return lacksMemory ? "There is not enough memory for this." : error.what();
}

}  // namespace softscope
