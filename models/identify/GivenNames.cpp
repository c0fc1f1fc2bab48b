#include "models/identify/GivenNames.h"

#include "core/text/Words.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace softscope {

std::vector<GivenName> givenNames(const ModelHints& hints) {
  std::vector<GivenName> names;
  if (hints.architecture) names.push_back({*hints.architecture, "--arch says "});
  for (const char* key : {"architecture", "arch", "model", "args.model", "args.arch"}) {
    const auto found = hints.metadata.find(key);
    if (found == hints.metadata.end()) continue;
    names.push_back({found->second, "the file's metadata says " + std::string(key) + " = "});
  }
  const ConfigurationFile& said = hints.configuration;
  if (!said.architecture.empty()) {
    const std::string tag = said.tag.empty() ? "" : "." + said.tag;
    names.push_back({said.architecture + tag, said.place() + " says ", 1, true});
  }
  names.push_back({hints.fileName, "the file is called ", 0.9});
  return names;
}

TimmName timmNameIn(const std::string& name) {
  constexpr std::string_view endings[] = {"safetensors", "pth", "pt", "bin", "ckpt", "tar", "pt2"};
  std::string text = lowerCase(name);
  while (true) {
    const std::size_t dot = text.rfind('.');
    const bool isEnding = dot != std::string::npos &&
                          std::find(std::begin(endings), std::end(endings),
                                    std::string_view(text).substr(dot + 1)) != std::end(endings);
    if (!isEnding) break;
    text.resize(dot);
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return {text, {}};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

bool isShortHash(std::string_view word) {
  constexpr std::size_t digits = 8;
  return word.size() == digits &&
         word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace softscope
