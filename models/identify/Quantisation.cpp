#include "models/identify/Quantisation.h"

#include "core/text/FileText.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace softscope {

namespace {

/// Names' last parts that bitsandbytes, GPTQ, AWQ, compressed-tensors, fp8 files, HQQ and torch.ao
/// give to packed weights and to what they are scaled with.
constexpr std::string_view quantisedParts[] = {
    "SCB",           "absmax",           "nested_absmax", "quant_map", "qweight",   "qzeros",
    "weight_packed", "weight_scale_inv", "weight_scale",  "W_q",       "zero_point"};

std::string_view lastPart(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool isOfEightBits(const torch::Tensor& tensor) {
  return tensor.scalar_type() == torch::kInt8 || tensor.scalar_type() == torch::kUInt8;
}

/// Returns true for whole numbers of few bits, unlike counters and indices, or of several in one.
bool isOfFewBits(const torch::Tensor& tensor) {
  return isOfEightBits(tensor) || tensor.scalar_type() == torch::kInt32;
}

bool isCalledWeight(std::string_view part) {
  return part == "weight" || part == "in_proj_weight";
}

bool isQuantised(const StateDict::Entry& entry) {
  const std::string_view part = lastPart(entry.name);
  if (std::ranges::find(quantisedParts, part) != std::end(quantisedParts)) return true;
  // Tables of positions and counters are whole numbers, too, and are no weights.
  if (entry.tensor.dim() < 2) return false;
  if (isCalledWeight(part)) return isOfEightBits(entry.tensor);
  // Quanto puts the numbers below the weight, others behind an underscore.
  const bool isOfWeight = part.starts_with("weight_") || entry.name.ends_with(".weight._data");
  return isOfWeight && isOfFewBits(entry.tensor);
}

/// Returns true for a weight of whole numbers or truth values, which need not be quantised: someone
/// may have rounded it.
bool isWholeWeight(const StateDict::Entry& entry) {
  return entry.tensor.dim() >= 2 && isCalledWeight(lastPart(entry.name)) &&
         !entry.tensor.is_floating_point() && !entry.tensor.is_complex();
}

/// Returns true for what quantisation-aware training computes with: scales that round weights and
/// what passes between the layers.
bool isOfFakeQuantisation(const StateDict::Entry& entry) {
  return entry.name.find("fake_quant") != std::string::npos;
}

/// Parts of names below which observers note what passes between the layers of a network that is
/// prepared for quantisation: `activation_post_process`, and of traced ones
/// `activation_post_process_3`.
constexpr std::string_view observers = "activation_post_process";

bool isOfObserver(const std::string& name) {
  const std::size_t at = name.find(observers);
  return at != std::string::npos && (at == 0 || name[at - 1] == '.');
}

}  // namespace

std::string quantisedText(const StateDict& state, const std::string& method) {
  const auto& entries = state.entries();
  const auto first = [&](bool isKind(const StateDict::Entry&)) {
    const auto found = std::ranges::find_if(entries, isKind);
    return found == entries.end() ? std::string() : quotedText(found->name);
  };
  if (const std::string fake = first(isOfFakeQuantisation); !fake.empty()) {
    return "it is prepared for training with quantisation (first " + fake +
           "), which rounds what its layers compute; Softscope computes without that: save the "
           "network as it was before prepare_qat()";
  }
  const std::string whole = first(isWholeWeight);
  std::string quantised = first(isQuantised);
  if (quantised.empty() && !method.empty()) quantised = whole;
  if (!quantised.empty()) {
    return "its weights are quantised (" +
           (method.empty() ? std::string() : quotedText(method) + " in config.json; ") + "first " +
           quantised +
           "), and Softscope does not scale them back; dequantise the model, and save it in "
           "floating point";
  }
  if (whole.empty()) return {};
  return "it holds whole numbers as weights (first " + whole +
         "), as rounding or a quantisation that Softscope does not know leaves them; save the "
         "network in floating point";
}

std::vector<std::string> observersIn(const StateDict& state) {
  std::vector<std::string> names;
  if (std::ranges::any_of(state.entries(), isOfFakeQuantisation)) return names;
  for (const StateDict::Entry& entry : state.entries()) {
    if (isOfObserver(entry.name)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace softscope
