#include "models/structure/TokenNames.h"

#include "core/text/Words.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace softscope {

namespace {

/// Returns true if a part of a name separated by underscores is one of `words`.
bool hasPart(const std::string& name, std::initializer_list<std::string_view> words) {
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    const std::string_view part = std::string_view(name).substr(at, end - at);
    if (std::ranges::find(words, part) != words.end()) return true;
    at = end + 1;
  }
  return false;
}

/// Returns true if a name says that a table is of the scores of attention, such as distances
/// between patches, or of a vector that weighs tokens for a pool.
bool saysScores(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  const bool isVector =
      std::ranges::count_if(unit.shape, [](std::int64_t side) { return side > 1; }) <= 1;
  const bool weighs = mentions(last, {"weigh", "context", "importance"}) ||
                      hasPart(last, {"gate", "gain", "readout", "agg", "alpha", "seed"}) ||
                      hasPart(lastPartOfName(parentPath(unit.name)), {"mil"});
  return (isVector && weighs) ||
         mentions(last, {"attn", "attention", "score", "alibi", "slope", "decay", "distance",
                         "local", "prior", "kernel", "graph", "gauss"}) ||
         hasPart(last, {"dist", "adj", "adjacency", "rel"});
}

/// Returns true if a name says that a table turns queries and keys: sines and cosines of rotary
/// positions.
bool saysRotation(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  return mentions(lowerCase(unit.name), {"rotary"}) || hasWord(unit.name, {"rope"}) ||
         (!saysPosition(unit) && hasPart(last, {"cos", "freq", "freqs"}));
}

}  // namespace

bool saysPosition(const TensorUnit& unit) {
  const std::string name = lowerCase(unit.name);
  const std::string last = lastPartOfName(name);
  return mentions(name, {"pos", "wpe"}) || last == "pe" || name.ends_with(".pe.weight");
}

bool isCalledPositions(const std::string& tensor) {
  TensorUnit unit;
  unit.name = tensor;
  const std::string layer = tensor.ends_with(".weight") ? parentPath(tensor) : tensor;
  const std::string last = lastPartOfName(layer);
  return saysPosition(unit) || mentions(last, {"emb", "table"}) ||
         hasPart(last, {"loc", "locs", "location", "locations"});
}

bool saysRegister(const TensorUnit& unit) {
  return mentions(lastPartOfName(unit.name), {"reg", "storage", "memory", "prompt"}) &&
         !saysPosition(unit);
}

bool saysClass(const TensorUnit& unit) {
  return mentions(lastPartOfName(unit.name), {"cls", "class"});
}

bool isCalledClassToken(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  return last == "cls_token" || last == "class_token" || last == "cls" || last == "class_embedding";
}

bool saysToken(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  const std::size_t sides = unit.shape.size();
  const bool isSquare = sides > 1 && unit.size(sides - 1) == unit.size(sides - 2);
  return mentions(last, {"token", "tok"}) || (hasPart(last, {"dist"}) && !isSquare) ||
         hasPart(last, {"distill", "distillation", "mem", "sink", "sinks", "global"});
}

bool saysMissing(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  return (saysToken(unit) || saysClass(unit) || saysRegister(unit)) &&
         (mentions(last, {"null", "uncond", "placeholder", "dummy", "missing", "unknown"}) ||
          hasPart(last,
                  {"nil",     "none",   "void",   "empty", "blank",   "absent",   "unk",   "pad",
                   "padding", "mask",   "masked", "drop",  "dropped", "dropout",  "noise", "noised",
                   "noisy",   "ignore", "fill",   "fake",  "ph",      "predictor"}));
}

bool isCalledByVitPytorch(const std::string& tensor) {
  const std::string last = lastPartOfName(tensor);
  return last == "register_tokens" || last == "distillation_token";
}

bool saysKind(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  const bool endsInToken = last.ends_with("token") || last.ends_with("tokens");
  return hasPart(last, {"type", "types", "segment", "segments", "seg", "level", "levels", "domain",
                        "domains", "modality", "modal", "modalities", "bias"}) ||
         (!endsInToken && hasPart(last, {"task", "tasks", "view", "views", "camera", "cam", "time",
                                         "times", "temporal", "frame", "stage"}));
}

bool saysEmbedding(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  return hasPart(last, {"emb", "embed", "embeds", "embedding", "embeddings"}) && !saysClass(unit) &&
         !saysRegister(unit) && !saysToken(unit);
}

bool saysNoToken(const TensorUnit& unit) {
  const std::string last = lastPartOfName(unit.name);
  const bool isRelative =
      mentions(last, {"relative", "rel_pos", "relpos"}) || hasPart(last, {"rpb"});
  if (saysRotation(unit) || isRelative) return true;
  if (saysPosition(unit)) return false;
  if (saysScores(unit) && !saysToken(unit) && !saysClass(unit) && !saysRegister(unit)) return true;
  if (saysKind(unit)) return true;
  const std::string module = lastPartOfName(parentPath(unit.name));
  return mentions(last, {"norm", "gamma", "scale", "query", "queries", "center", "centre",
                         "centroid", "proto", "queue", "codebook", "cluster"}) ||
         (!saysToken(unit) &&
          hasPart(last, {"g", "ln", "rms", "beta", "shift", "bank", "probe", "mean", "std"})) ||
         hasPart(last, {"row", "rows", "col", "cols", "column", "columns", "height", "width"}) ||
         mentions(module, {"norm", "pool", "loss", "center", "centre", "proto", "queue"}) ||
         hasPart(module, {"ln", "rms"}) || (mentions(last, {"pool"}) && !saysClass(unit));
}

}  // namespace softscope
