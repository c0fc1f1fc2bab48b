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

/// Returns true for whole numbers of few bits, unlike counters and indices.
bool isOfFewBits(const torch::Tensor& tensor) {
  return tensor.scalar_type() == torch::kInt8 || tensor.scalar_type() == torch::kUInt8 ||
         tensor.scalar_type() == torch::kInt32;
}

bool isQuantised(const StateDict::Entry& entry) {
  const std::string_view part = lastPart(entry.name);
  if (std::ranges::find(quantisedParts, part) != std::end(quantisedParts)) return true;
  // Tables of positions and counters are whole numbers, too, and are no weights.
  if (entry.tensor.dim() < 2) return false;
  const bool isWeight = part == "weight" || part == "in_proj_weight";
  if (isWeight) return !entry.tensor.is_floating_point() && !entry.tensor.is_complex();
  // Quanto puts the numbers below the weight, others behind an underscore.
  const bool isOfWeight = part.starts_with("weight_") || entry.name.ends_with(".weight._data");
  return isOfWeight && isOfFewBits(entry.tensor);
}

}  // namespace

std::string quantisedText(const StateDict& state, const std::string& method) {
  const auto& entries = state.entries();
  const auto found = std::ranges::find_if(entries, isQuantised);
  if (found == entries.end()) return {};
  return "its weights are quantised (" +
         (method.empty() ? std::string() : quotedText(method) + " in config.json; ") + "first " +
         quotedText(found->name) +
         "), and Softscope does not scale them back; dequantise the model, and save it in floating "
         "point";
}

}  // namespace softscope
