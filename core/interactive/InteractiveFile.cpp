#include "core/interactive/InteractiveFile.h"

#include "core/files/Base64.h"
#include "core/files/Resources.h"
#include "core/files/Sha256.h"
#include "core/text/Words.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace softscope {

namespace {

std::string interactivePart(const std::string& name) {
  const std::string path = resourcePath("interactive/" + name);
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) throw FileError(path, "cannot be read; reinstall Softscope");
  return text;
}

/// Returns the checksum of a style or a script as a policy names it.
std::string policySource(const std::string& text) {
  Sha256 checksum;
  checksum.add(text);
  return "'sha256-" + base64(checksum.bytes()) + "'";
}

/// Writes JSON so that no text in it can end the element around it, or begin a comment there.
std::string embeddedJson(const nlohmann::ordered_json& data) {
  const std::string text =
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) {
    // These stand in texts alone, where JSON has escapes for them.
    if (letter == '<') {
      safe += "\\u003c";
    } else if (letter == '>') {
      safe += "\\u003e";
    } else if (letter == '&') {
      safe += "\\u0026";
    } else {
      safe += letter;
    }
  }
  return safe;
}

/// Puts `text` in the place of `{{name}}`.
void fillIn(std::string& page, std::string_view name, const std::string& text) {
  const std::string place = "{{" + std::string(name) + "}}";
  const std::size_t at = page.find(place);
  if (at == std::string::npos) {
    throw FileError("interactive/interactive.html",
                    "has no place for " + place + "; reinstall Softscope");
  }
  page.replace(at, place.size(), text);
}

/// The page without its data.
std::string emptyPage() {
  const std::string style = interactivePart("interactive.css");
  // In the order in which they use each other.
  const std::string script = interactivePart("maps.js") + interactivePart("answers.js") +
                             interactivePart("drawing.js") + interactivePart("interactive.js");
  std::string page = interactivePart("interactive.html");
  fillIn(page, "policy",
         "default-src 'none'; script-src " + policySource(script) + "; style-src " +
             policySource(style) + "; img-src data:; base-uri 'none'; form-action 'none'");
  fillIn(page, "style", style);
  fillIn(page, "script", script);
  return page;
}

}  // namespace

std::string megabytesText(std::size_t bytes) {
  return fixedText(static_cast<double>(bytes) / 1e6, 1) + " MB";
}

std::string interactiveText(const nlohmann::ordered_json& data) {
  std::string page = emptyPage();
  fillIn(page, "data", embeddedJson(data));
  if (page.size() <= interactiveLimit) return page;
  throw InteractiveSizeError(
      "the page would have " + megabytesText(page.size()) + ", more than " +
      megabytesText(interactiveLimit) +
      ", which browsers open well; choose fewer layers (--layer), fewer models, "
      "or a smaller input (--size)");
}

std::size_t roomForMaps(const nlohmann::ordered_json& otherData) {
  const std::size_t taken = emptyPage().size() + embeddedJson(otherData).size();
  return taken < interactiveLimit ? interactiveLimit - taken : 0;
}

void checkInteractivePath(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".html" || ending == ".htm") return;
  throw FileError(path, "an interactive page is written as .html");
}

}  // namespace softscope
