#include "core/checkpoint/PickledOtherValues.h"

#include "core/checkpoint/PickledTensor.h"
#include "core/files/Malformed.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace softscope {

namespace {

using Kind = PickleValue::Kind;

/// Returns true for a list of numbers, or of lists of them, by its first item.
bool isListOfNumbers(const PickleValue& value) {
  constexpr int mostDimensions = 64;
  const PickleValue* item = &value;
  for (int depth = 0; depth < mostDimensions; ++depth) {
    if ((!item->is(Kind::List) && !item->is(Kind::Tuple)) || item->items.empty()) return false;
    item = item->items.front();
    if (item->is(Kind::Integer) || item->is(Kind::Float)) return true;
  }
  return false;
}

std::string_view moduleOfName(std::string_view name) {
  return name.substr(0, name.find('.'));
}

std::string_view parameterOfName(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

bool isParametersName(std::string_view name) {
  const std::string_view last = parameterOfName(name);
  return last == "weight" || last == "bias" || last.ends_with("_token") ||
         last.ends_with("_embed") || last.ends_with("_embedding");
}

/// Throws Malformed if the value of a network's entry is a weight that is no tensor.
void refuseOtherForm(const std::string& name, const PickleValue& value) {
  const std::string holds = "holds " + quotedText(name) + " ";
  if (name.find("_packed_params") != std::string::npos) {
    throw Malformed(holds +
                    "as quantised weights, which Softscope does not compute; save the state_dict() "
                    "of the network before it is quantised");
  }
  if (isNumpyArray(value)) {
    throw Malformed(holds +
                    "as a NumPy array, which PyTorch does not load as a weight either; make it a "
                    "tensor with torch.from_numpy() and save it again");
  }
  if (isListOfNumbers(value)) {
    throw Malformed(holds +
                    "as a list of numbers, which PyTorch does not load as a weight either; make it "
                    "a tensor with torch.tensor() and save it again");
  }
  if (value.is(Kind::None)) {
    throw Malformed(holds +
                    "as None, which PyTorch does not load as a weight either; save the "
                    "state_dict() of the network");
  }
  if (isParametersName(name)) {
    throw Malformed(holds + "as a value that is no tensor; save the state_dict() of the network");
  }
}

}  // namespace

bool isNumpyArray(const PickleValue& value) {
  if (!value.is(Kind::Object) || !value.callable || !value.callable->is(Kind::Global)) return false;
  const std::string_view maker = value.callable->text;
  return maker.starts_with("numpy.") &&
         (maker.ends_with("._reconstruct") || maker.ends_with("._frombuffer"));
}

NamedValues takeOtherValues(NamedValues& entries) {
  NamedValues others;
  for (const auto& [name, value] : entries) {
    if (!isPickledTensor(*value)) others.emplace_back(name, value);
  }
  if (others.empty()) return others;
  std::erase_if(entries, [](const auto& entry) { return !isPickledTensor(*entry.second); });
  return others;
}

std::vector<std::string> valuesInModules(const NamedValues& tensors, const NamedValues& others,
                                         const std::string& prefix) {
  constexpr std::size_t mostNames = 100;
  constexpr std::size_t longestName = 256;
  // Each module keeps there what it likes.
  constexpr std::string_view ofModule = "_extra_state";
  const auto innerName = [&](const std::string& name) {
    return std::string_view(name).substr(name.starts_with(prefix) ? prefix.size() : name.size());
  };
  std::unordered_set<std::string_view> modules;
  for (const auto& [name, value] : tensors) {
    const std::string_view inner = innerName(name);
    if (!others.empty() && inner.find('.') != inner.npos) modules.insert(moduleOfName(inner));
  }
  std::vector<std::string> beside;
  for (const auto& [name, value] : others) {
    const std::string_view inner = innerName(name);
    if (inner.empty() || inner.ends_with(ofModule)) continue;
    const bool isInModule = inner.find('.') != inner.npos && modules.contains(moduleOfName(inner));
    if (!prefix.empty() || isInModule || isParametersName(inner)) refuseOtherForm(name, *value);
    if (!isInModule || beside.size() >= mostNames || name.size() > longestName) continue;
    if (isUtf8(name)) beside.push_back(name);
  }
  return beside;
}

}  // namespace softscope
