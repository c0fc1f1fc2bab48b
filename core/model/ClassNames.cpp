#include "core/model/ClassNames.h"

#include "core/Error.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"
#include "core/json/ParsedJson.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

namespace softscope {
namespace {

using nlohmann::json;

// The parsed text takes twenty times as much memory.
constexpr std::uint64_t largestFile = std::uint64_t(2) << 20;
constexpr std::size_t longestClassName = 1000;
/// No network has so many.
constexpr std::size_t mostClassNames = 100'000;
constexpr const char* tooManyNames = "is too large for names of classes";

std::string checkedName(std::string_view name, const std::string& place) {
  if (name.empty()) throw Malformed("has no name " + place);
  if (name.size() > longestClassName) throw Malformed("has a name of over 1000 bytes " + place);
  return std::string(name);
}

/// Returns the name that a value gives: a text, or the last of several, as in ImageNet's index of
/// WordNet's numbers and names.
std::optional<std::string> nameAt(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && !value.empty() && value.back().is_string()) {
    return value.back().get<std::string>();
  }
  return std::nullopt;
}

/// Returns the names in `{"0": "cat", "1": "dog"}` or `{"cat": 0, "dog": 1}`.
std::vector<std::string> namesInObject(const json& object) {
  if (object.size() > mostClassNames) throw Malformed(tooManyNames);
  std::vector<std::optional<std::string>> names(object.size());
  for (const auto& [key, value] : object.items()) {
    const std::optional<std::size_t> number =
        value.is_number_unsigned() ? value.get<std::size_t>() : parseNumber<std::size_t>(key);
    const std::optional<std::string> name = value.is_number_unsigned() ? key : nameAt(value);
    if (!number || !name) {
      throw Malformed("is an object of other things than numbers and names of classes, such as " +
                      quotedText(key));
    }
    if (*number < names.size()) names[*number] = *name;
  }
  std::vector<std::string> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all.push_back(checkedName(names[i].value_or(""), "for class " + std::to_string(i)));
  }
  return all;
}

std::vector<std::string> namesInJson(const json& root) {
  if (root.is_object() && root.contains("id2label") && root.at("id2label").is_object()) {
    return namesInObject(root.at("id2label"));
  }
  if (root.is_object()) return namesInObject(root);
  if (root.size() > mostClassNames) throw Malformed(tooManyNames);
  std::vector<std::string> names;
  for (const json& value : root) {
    names.push_back(
        checkedName(nameAt(value).value_or(""), "for class " + std::to_string(names.size())));
  }
  return names;
}

std::vector<std::string> namesInLines(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::vector<std::string> names;
  while (!text.empty()) {
    if (names.size() == mostClassNames) throw Malformed(tooManyNames);
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    names.push_back(checkedName(line, "in line " + std::to_string(names.size() + 1)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return names;
}

}  // namespace

std::vector<std::string> classNamesIn(std::string_view text) {
  text = withoutByteOrderMark(text);
  if (!isUtf8(text) || text.find('\0') != std::string_view::npos) {
    throw Malformed("is no text of names; give a name in each line, or JSON");
  }
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) throw Malformed("has no names of classes in it");
  if (text[start] != '{' && text[start] != '[') return namesInLines(text);
  const json root = parsedJson(text);
  if (root.is_discarded()) throw Malformed("begins like JSON, and is none");
  if (root.empty()) throw Malformed("has no names of classes in it");
  return namesInJson(root);
}

void nameClasses(ModelSummary& summary, const std::string& path) {
  std::vector<std::string> names;
  try {
    names = classNamesIn(wholeFile(path, largestFile, tooManyNames));
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  }
  if (names.size() != static_cast<std::size_t>(summary.classes)) {
    const auto counted = [](std::int64_t count) {
      return std::to_string(count) + (count == 1 ? " class" : " classes");
    };
    throw ModelError(path + ": names " + counted(std::ssize(names)) + ", and " + summary.path +
                     " has " + counted(summary.classes));
  }
  summary.classNames = std::move(names);
}

}  // namespace softscope
