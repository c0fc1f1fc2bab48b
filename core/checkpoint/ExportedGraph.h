#pragma once

#include <map>
#include <string>

namespace softscope {

class ZipArchive;

/// The beginning of the keys under which metadata hold what the graph of an exported program says.
inline constexpr const char* exportedGraphPlace = "program.";

/// Returns what the graph of a program that torch.export wrote (.pt2) says of its computation,
/// under the keys of moduleAttributes(): `num_heads`, `hidden_act`, `layer_norm_eps`,
/// `attention_scale`, and `is_causal`. Empty if there is no graph, or none that can be read.
std::map<std::string, std::string> graphAttributes(ZipArchive& archive);

/// Returns what a graph says as graphAttributes() does; `text` is the archive's
/// `models/model.json`.
std::map<std::string, std::string> attributesOfGraph(const std::string& text);

}  // namespace softscope
