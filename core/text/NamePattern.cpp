#include "core/text/NamePattern.h"

#include <fnmatch.h>

namespace softscope {

bool matchesPattern(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool meansLayer(const std::string& text, const std::string& layer) {
  return matchesPattern(layer, text) || (!text.empty() && layer.starts_with(text + "."));
}

bool isPattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

}  // namespace softscope
