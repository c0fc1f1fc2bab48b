#include "models/identify/ShapeReader.h"

#include "core/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace softscope {

namespace {

/// Largest size of a dimension; a tensor without elements may claim any.
constexpr std::int64_t largestSize = 1 << 20;

/// Largest number of anything numbered: layers, blocks, convolutions.
constexpr int mostParts = 1024;

}  // namespace

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

int squareSide(int count) {
  if (count < 1) return 0;
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
  return side * side == count ? side : 0;
}

int requireSquare(int count, const std::string& entries) {
  const int side = squareSide(count);
  if (side > 0) return side;
  throw ModelError("its " + std::to_string(count) + " " + entries +
                   " make no square; the file may be damaged");
}

ShapeReader::ShapeReader(const StateDict& state, std::string network)
    : state_(state), network_(std::move(network)) {
  names_.reserve(state.size());
  for (const StateDict::Entry& entry : state.entries()) names_.push_back(entry.name);
  std::ranges::sort(names_);
}

std::span<const std::string_view> ShapeReader::namesFrom(std::string_view prefix) const {
  const auto begin = std::ranges::lower_bound(names_, prefix);
  const auto end = std::partition_point(
      begin, names_.end(), [&](std::string_view name) { return startsWith(name, prefix); });
  return {begin, end};
}

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
  if (const auto known = counts_.find(prefix); known != counts_.end()) return known->second;
  int count = 0;
  for (const std::string_view name : namesFrom(prefix)) {
    const char* begin = name.data() + prefix.size();
    int index = 0;
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), index);
    const bool isIndex = error == std::errc() && end != begin;
    // Every part has at least one tensor, so a damaged number cannot produce thousands of parts.
    if (isIndex && index >= 0 && static_cast<std::size_t>(index) < state_.size() &&
        index < mostParts) {
      count = std::max(count, index + 1);
    }
  }
  int all = count;
  for (const auto& [other, counted] : counts_) all += counted;
  if (all > mostParts) {
    throw ModelError("this looks like " + network_ + ", but it has more than " +
                     std::to_string(mostParts) +
                     " parts, which no network has; the file may be "
                     "damaged");
  }
  counts_.emplace(prefix, count);
  return count;
}

bool ShapeReader::any(std::string_view prefix, std::string_view suffix) const {
  return std::ranges::any_of(namesFrom(prefix), [&](std::string_view name) {
    return name.size() >= prefix.size() + suffix.size() && name.ends_with(suffix);
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
