#include "models/identify/ParameterNames.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace softscope {

namespace {

constexpr std::string_view headPrefix = "head.";

/// A part of a sequence: `head.1.weight` has the index 1 and the name `weight`.
struct HeadPart {
  int index = 0;
  std::string_view parameter;
};

std::optional<HeadPart> headPartOf(std::string_view name) {
  if (!name.starts_with(headPrefix)) return std::nullopt;
  const std::string_view rest = name.substr(headPrefix.size());
  HeadPart part;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), part.index);
  const auto length = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || length >= rest.size() || rest[length] != '.') return std::nullopt;
  part.parameter = rest.substr(length + 1);
  return part;
}

bool isOfLinear(const StateDict::Entry& entry, const HeadPart& part) {
  return (part.parameter == "weight" && entry.tensor.dim() == 2) ||
         (part.parameter == "bias" && entry.tensor.dim() == 1);
}

/// Returns the index of the only Linear in the head; nothing if the head has other parameters.
std::optional<int> onlyLinear(const StateDict& state) {
  std::optional<int> only;
  for (const StateDict::Entry& entry : state.entries()) {
    if (!entry.name.starts_with(headPrefix)) continue;
    const auto part = headPartOf(entry.name);
    if (!part || !isOfLinear(entry, *part) || (only && *only != part->index)) return std::nullopt;
    only = part->index;
  }
  return only;
}

}  // namespace

StateDict withPlainHead(const StateDict& state) {
  if (!onlyLinear(state)) return state;
  StateDict plain;
  for (const StateDict::Entry& entry : state.entries()) {
    const auto part = headPartOf(entry.name);
    plain.insert(part ? std::string(headPrefix).append(part->parameter) : entry.name, entry.tensor);
  }
  return plain;
}

bool hasProjectionHead(const StateDict& state) {
  int products = 0;
  int lastProduct = -1;
  int lastNorm = -1;
  for (const StateDict::Entry& entry : state.entries()) {
    const auto part = headPartOf(entry.name);
    if (!part) continue;
    if (part->parameter == "running_mean") lastNorm = std::max(lastNorm, part->index);
    if (part->parameter == "weight" && entry.tensor.dim() == 2) {
      ++products;
      lastProduct = std::max(lastProduct, part->index);
    }
  }
  return products > 1 && lastNorm > lastProduct;
}

std::optional<std::string> textBefore(const StateDict& state, std::string_view part) {
  for (const StateDict::Entry& entry : state.entries()) {
    const std::size_t at = entry.name.find(part);
    if (at != std::string::npos) return entry.name.substr(0, at);
  }
  return std::nullopt;
}

bool anyContains(const StateDict& state, std::string_view part) {
  return textBefore(state, part).has_value();
}

}  // namespace softscope
