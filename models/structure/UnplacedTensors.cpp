#include "models/structure/UnplacedTensors.h"

#include "core/Error.h"
#include "core/text/Words.h"
#include "models/structure/BlockHalves.h"
#include "models/structure/BlockStructure.h"

#include <vector>

namespace softscope {

namespace {

[[noreturn]] void refuseAsMask(const TensorUnit& whole) {
  throw ModelError("masked attention: " + unitText(whole) +
                   " may hide tokens from others, and nothing tells which");
}

}  // namespace

void refuseMask(const TensorUnit& unit) {
  if (unit.isBare && mentions(lastPartOfName(unit.name), {"mask", "tril", "causal"})) {
    refuseAsMask(unit);
  }
}

void refuseUnit(const TensorUnit& unit, const std::string& block) {
  TensorUnit whole = unit;
  whole.name = block + unit.name;
  constexpr std::int64_t tableEntries = 256;
  if (unit.isBare && unit.shape == std::vector<std::int64_t>{tableEntries}) {
    throw ModelError("quantised lookup softmax: " + unitText(whole) +
                     " is a table of 256 entries that stands for a function");
  }
  const std::string name = lowerCase(unit.name);
  if (unit.isBare && mentions(name, {"mask", "tril", "causal"})) refuseAsMask(whole);
  if (unit.isBare && mentions(name, {"rel", "rpb", "bias_table", "pos"})) {
    throw ModelError("relative positions: " + unitText(whole) +
                     " is added to the scores of attention, and nothing tells how");
  }
  if (unit.isBare && unit.hasDimensions(2) && unit.size(0) == unit.size(1)) {
    throw ModelError("talking heads or re-attention, as in CaiT and DeepViT: " + unitText(whole) +
                     " mixes the maps of heads");
  }
  const bool isGate = unit.isBare && unit.hasDimensions(1) && saysGateOfVector(unit);
  throw ModelError(
      "tensor without a place: " + unitText(whole) +
      (isGate ? ", a gate, which may pass through a function that no weight shows" : ""));
}

void refuseBare(const TensorUnit& unit, const std::string& block, std::int64_t channels) {
  const bool isSquare = unit.isBare && unit.hasDimensions(2) && unit.size(0) == unit.size(1);
  const std::string last = lastPartOfName(unit.name);
  const bool saysProduct =
      hasWord(last, {"q", "k", "v", "o", "w", "wq", "wk", "wv", "wo"}) || mentions(last, {"proj"});
  if (!isSquare || (unit.size(0) < channels && !saysProduct)) refuseUnit(unit, block);
  TensorUnit whole = unit;
  whole.name = block + unit.name;
  throw ModelError("bare matrix: nothing tells the orientation of " + unitText(whole) +
                   ", as tokens may be multiplied by it or by its transpose");
}

}  // namespace softscope
