#include "models/identify/ShapeReader.h"

#include "core/Error.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

namespace softscope {

namespace {

/// Of a dimension; a tensor without elements may claim any.
constexpr std::int64_t largestSize = 1 << 20;

/// Of anything that is numbered: layers, blocks, convolutions.
constexpr int mostParts = 1024;

}  // namespace

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

ShapeReader::ShapeReader(const StateDict& state, std::string network)
    : state_(state), network_(std::move(network)) {}

std::optional<int> ShapeReader::size(std::initializer_list<std::string> names,
                                     int dimension) const {
  for (const std::string& name : names) {
    const torch::Tensor* tensor = state_.find(name);
    if (tensor != nullptr && tensor->dim() > dimension) {
      const std::int64_t size = tensor->size(dimension);
      if (size > largestSize) {
        throw ModelError(name + " has a dimension of " + std::to_string(size) + ", more than any " +
                         network_ + "; the file may be damaged");
      }
      return static_cast<int>(size);
    }
  }
  return std::nullopt;
}

int ShapeReader::count(const std::string& prefix) const {
  int count = 0;
  for (const auto& entry : state_.entries()) {
    if (!startsWith(entry.name, prefix)) continue;
    const char* begin = entry.name.data() + prefix.size();
    int index = 0;
    const auto [end, error] = std::from_chars(begin, entry.name.data() + entry.name.size(), index);
    const bool isIndex = error == std::errc() && end != begin;
    // Every part has a tensor at least: a damaged number makes no thousands of them.
    if (isIndex && index >= 0 && static_cast<std::size_t>(index) < state_.size() &&
        index < mostParts) {
      count = std::max(count, index + 1);
    }
  }
  return count;
}

bool ShapeReader::any(std::string_view prefix, std::string_view suffix) const {
  return std::any_of(state_.entries().begin(), state_.entries().end(), [&](const auto& entry) {
    const std::string_view name = entry.name;
    return startsWith(name, prefix) && name.size() >= prefix.size() + suffix.size() &&
           name.substr(name.size() - suffix.size()) == suffix;
  });
}

int ShapeReader::require(std::optional<int> size, const std::string& what) const {
  if (!size || *size < 1) {
    throw ModelError("this looks like " + network_ + ", but nothing in it tells " + what +
                     "; the file may be damaged");
  }
  return *size;
}

}  // namespace softscope
