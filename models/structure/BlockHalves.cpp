#include "models/structure/BlockHalves.h"

#include "core/Error.h"
#include "core/text/FileText.h"
#include "core/text/Words.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Returns the number that ends a name, as in `norm2` or `net.0`; -1 without one.
int numberAtEnd(const std::string& name) {
  constexpr std::size_t mostDigits = 4;
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  if (begin == name.size() || name.size() - begin > mostDigits) return -1;
  return std::stoi(name.substr(begin));
}

/// Takes the parts at the end of two dotted names off that both have: `.ls1` and `.ls2` for
/// `.ls1.gamma` and `.ls2.gamma`.
void dropSharedEnd(std::string& a, std::string& b) {
  while (!parentPath(a).empty() && !parentPath(b).empty() &&
         lastPartOfName(a) == lastPartOfName(b)) {
    a = parentPath(a);
    b = parentPath(b);
  }
}

/// Tells which of a block's vectors belongs to the attention and which to the mlp.
class HalfRoles {
 public:
  HalfRoles(const BlockStructure& block, const std::vector<std::string>& mlp, bool isOrdered)
      : attention_(block.attention.path), mlp_(commonPath(mlp)), isOrdered_(isOrdered) {}

  /// Returns true if the second vector is the attention's and the first the mlp's; nothing if
  /// nothing tells.
  std::optional<bool> areReversed(const TensorUnit& first, const TensorUnit& second) const {
    const int placed = placeOf(first.name) - placeOf(second.name);
    if (placed != 0) return placed > 0;
    std::string one = first.name;
    std::string other = second.name;
    dropSharedEnd(one, other);
    const auto says = [&](std::initializer_list<std::string_view> words) {
      return static_cast<int>(mentions(lastPartOfName(one), words)) -
             static_cast<int>(mentions(lastPartOfName(other), words));
    };
    if (const int said = says({"before", "pre", "attn", "attention", "msa", "mha"})) {
      return said < 0;
    }
    if (const int said = says({"after", "post", "mlp", "ff"})) return said > 0;
    const int a = numberAtEnd(one);
    const int b = numberAtEnd(other);
    if (a >= 0 && b >= 0 && a != b) return a > b;
    return isOrdered_ ? std::optional(false) : std::nullopt;
  }

  /// Returns -1 for a name inside the attention's path or beside it, 1 for one of the mlp's and 0
  /// for any other. Paths that contain each other tell nothing.
  int placeOf(const std::string& name) const {
    const bool inAttention = isInside(name, attention_) && !isInside(mlp_, attention_);
    const bool inMlp = isInside(name, mlp_) && !isInside(attention_, mlp_);
    if (inAttention == inMlp) return sharedPlace(name);
    return inAttention ? -1 : 1;
  }

 private:
  static bool isInside(const std::string& name, const std::string& path) {
    return !path.empty() && name.starts_with(path) &&
           (name.size() == path.size() || name[path.size()] == '.');
  }

  /// Returns the same for a vector that stands beside a path: `.0.norm` beside `.0.fn`.
  int sharedPlace(const std::string& name) const {
    const std::string beside = parentPath(name);
    if (beside.empty()) return 0;
    const bool nearAttention = isInside(attention_, beside);
    const bool nearMlp = isInside(mlp_, beside);
    if (nearAttention == nearMlp) return 0;
    return nearAttention ? -1 : 1;
  }

  std::string attention_;
  std::string mlp_;
  bool isOrdered_;
};

std::string namesOf(const std::vector<TensorUnit>& units) {
  return listText(units, ", ", [](const TensorUnit& unit) {
    return quotedText(unit.name.substr(unit.name.starts_with('.') ? 1 : 0));
  });
}

NormPart normOf(const TensorUnit& unit) {
  return {unit.weight, unit.bias};
}

/// Puts the attention's vector first, or throws.
std::pair<TensorUnit, TensorUnit> attentionFirst(const std::vector<TensorUnit>& two,
                                                 const HalfRoles& roles, const std::string& kind,
                                                 const std::string& block) {
  const auto reversed = roles.areReversed(two[0], two[1]);
  if (!reversed) {
    throw ModelError("ambiguous block: nothing tells which of the " + kind + " " +
                     quotedText(block + two[0].name) + " and " + quotedText(block + two[1].name) +
                     " is the attention's");
  }
  return *reversed ? std::pair(two[1], two[0]) : std::pair(two[0], two[1]);
}

/// Returns the words of a name: runs of letters, in lower case.
std::vector<std::string> wordsOfName(const std::string& name) {
  std::vector<std::string> words{""};
  for (const char letter : lowerCase(name)) {
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

bool hasWord(const TensorUnit& unit, std::initializer_list<const char*> wanted) {
  const std::vector<std::string> words = wordsOfName(unit.name);
  return std::ranges::any_of(
      wanted, [&](const char* word) { return std::ranges::find(words, word) != words.end(); });
}

bool saysLayerScale(const TensorUnit& unit) {
  return (hasWord(unit, {"ls", "layerscale", "gamma", "lambda", "lam"}) ||
          mentions(lowerCase(unit.name), {"layer_scale", "layerscale"})) &&
         !hasWord(unit, {"res", "residual", "skip"});
}

}  // namespace

bool isFirstInSequential(const TensorUnit& norm, const TensorUnit& expand) {
  const std::string path = parentPath(norm.name);
  const int norms = numberAtEnd(norm.name);
  return !path.empty() && path == parentPath(expand.name) &&
         lastPartOfName(norm.name).size() <= 2 && norms >= 0 && norms < numberAtEnd(expand.name);
}

void readNorms(const std::vector<TensorUnit>& norms, const std::vector<std::string>& mlp,
               const BlockOfVectors& block, BlockStructure& read) {
  if (norms.empty()) return;
  const bool hasMlp = !mlp.empty();
  if (norms.size() > 2 || (norms.size() == 2 && !hasMlp)) {
    throw ModelError("ambiguous block: " + block.path + " has " + std::to_string(norms.size()) +
                     " norms (" + namesOf(norms) + "), and nothing tells where they act");
  }
  read.norm1 = normOf(norms.front());
  if (norms.size() == 1) {
    if (hasMlp) read.norm2 = read.norm1;
    return;
  }
  const auto [first, second] =
      attentionFirst(norms, HalfRoles(read, mlp, block.isOrdered), "norms", block.path);
  read.norm1 = normOf(first);
  read.norm2 = normOf(second);
}

bool mayBeLayerScale(const TensorUnit& vector) {
  if (!vector.isBare) return saysLayerScale(vector) || hasWord(vector, {"scale"});
  return !hasWord(vector, {"norm", "rms", "rmsnorm", "ln", "layernorm", "q", "k", "v", "u", "query",
                           "key", "value", "temperature", "mix", "shift"}) &&
         !mentions(lowerCase(vector.name), {"bias", "norm", "pos", "token", "mask", "decay"});
}

void readLayerScales(const std::vector<TensorUnit>& scales, const std::vector<std::string>& mlp,
                     const BlockOfVectors& block, BlockStructure& read) {
  if (scales.empty()) return;
  const auto bare = [](const TensorUnit& unit) { return BareTensor{unit.weight, unit.shape}; };
  const HalfRoles roles(read, mlp, block.isOrdered);
  read.saysLayerScale = std::ranges::all_of(scales, saysLayerScale);
  if (scales.size() > 2 || (scales.size() == 2 && mlp.empty())) {
    throw ModelError("ambiguous block: " + block.path + " has " + std::to_string(scales.size()) +
                     " vectors of the tokens' width (" + namesOf(scales) +
                     "), and nothing tells what they multiply");
  }
  if (scales.size() == 2) {
    const auto [first, second] = attentionFirst(scales, roles, "layer scales", block.path);
    read.scale1 = bare(first);
    read.scale2 = bare(second);
    return;
  }
  const int place = mlp.empty() ? -1 : roles.placeOf(scales.front().name);
  if (place == 0) {
    throw ModelError("ambiguous block: nothing tells whether " +
                     quotedText(block.path + scales.front().name) +
                     " multiplies what the attention adds, or the mlp, or both");
  }
  (place < 0 ? read.scale1 : read.scale2) = bare(scales.front());
}

}  // namespace softscope
