#include "models/structure/ProjectionNames.h"

#include "core/text/Words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace softscope {

namespace {

/// Returns the lower-case parts in which three names differ.
std::array<std::string, 3> differingParts(std::array<std::string, 3> names) {
  for (std::string& name : names) name = lowerCase(name);
  const auto shortest = [&] {
    return std::min({names[0].size(), names[1].size(), names[2].size()});
  };
  std::size_t prefix = 0;
  while (prefix < shortest() && names[0][prefix] == names[1][prefix] &&
         names[0][prefix] == names[2][prefix]) {
    ++prefix;
  }
  for (std::string& name : names) name.erase(0, prefix);
  const auto shareEnd = [&] {
    return shortest() > 0 && names[0].back() == names[1].back() &&
           names[0].back() == names[2].back();
  };
  while (shareEnd()) {
    for (std::string& name : names) name.pop_back();
  }
  return names;
}

/// Returns the last part of a dotted name that is no number, in lower case: `to_kv` for `to_kv.0`.
std::string lastWordPart(std::string name) {
  while (numberOfSibling(name) >= 0 && !parentPath(name).empty()) name = parentPath(name);
  return lastPartOfName(name);
}

/// Replaces words such as `queries` by their letters.
std::string withProjectionLetters(std::string text) {
  constexpr std::pair<std::string_view, const char*> letters[] = {
      {"queries", "q"}, {"query", "q"},  {"qry", "q"},  {"keys", "k"},
      {"key", "k"},     {"values", "v"}, {"value", "v"}};
  for (const auto& [word, letter] : letters) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
      text.replace(at, word.size(), letter);
    }
  }
  return text;
}

/// Returns the number in the first part in which two dotted names differ, and which follows a text
/// that both have there: 1 for `mlp.fc1` beside `mlp.fc2`; nothing if there is none.
std::optional<int> differingNumber(const std::string& name, const std::string& other) {
  const auto isDigit = [](char character) { return character >= '0' && character <= '9'; };
  std::size_t begin =
      static_cast<std::size_t>(std::ranges::mismatch(name, other).in1 - name.begin());
  while (begin > 0 && isDigit(name[begin - 1])) --begin;
  int number = 0;
  const char* first = name.data() + begin;
  const char* last = name.data() + name.size();
  const auto [stop, error] = std::from_chars(first, last, number);
  const bool endsPart = stop == last || std::isalnum(static_cast<unsigned char>(*stop)) == 0;
  return error == std::errc() && isDigit(*first) && endsPart ? std::optional(number) : std::nullopt;
}

bool saysWidening(const std::string& name) {
  return hasWord(name,
                 {"up", "in", "input", "wi", "expand", "expansion", "intermediate", "hidden"});
}

bool saysNarrowing(const std::string& name) {
  return hasWord(name,
                 {"down", "out", "output", "wo", "contract", "contraction", "compress", "reduce"});
}

bool saysExpansion(const std::string& name) {
  return saysWidening(name) || hasWord(name, {"fc"});
}

bool saysContraction(const std::string& name) {
  return saysNarrowing(name) || hasWord(name, {"proj", "projection"});
}

using SaysOfName = bool (*)(const std::string&);

/// Returns true if the first of two names says an expansion and the second alone a contraction,
/// false for the contrary, and nothing otherwise.
std::optional<bool> expandsAsNamed(const std::string& first, const std::string& second,
                                   SaysOfName expands, SaysOfName contracts) {
  const bool isFirst = contracts(second) && !contracts(first) && expands(first);
  const bool isSecond = contracts(first) && !contracts(second) && expands(second);
  return isFirst == isSecond ? std::nullopt : std::optional(isFirst);
}

/// Returns true if a run of letters in a name is one of queries (`q`) or values (`v`): it starts or
/// ends with the letter, unless the word is known to mean something else. A letter inside a word,
/// as in the Italian `chiave`, says nothing.
bool saysLetter(const std::string& part, char letter) {
  if (letter == 'q' && (mentions(part, {"quer"}) ||
                        hasWord(part, {"requete", "anfrage", "abfrage", "consulta", "chaxun"}))) {
    return true;
  }
  if (letter == 'v' && (mentions(part, {"value"}) || hasWord(part, {"wert", "zhi"}))) return true;
  const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
  constexpr std::size_t shortest = 3;
  for (auto begin = std::ranges::find_if(part, isLetter); begin != part.end();) {
    const auto end = std::find_if_not(begin, part.end(), isLetter);
    const std::string_view run(begin, end);
    const bool isOther =
        letter == 'q' ? run.ends_with("seq") || run.ends_with("freq")
                      : run.ends_with("conv") || run.ends_with("inv") || run.ends_with("prev");
    const bool isAtAnEnd = run.starts_with(letter) || run.ends_with(letter);
    const bool isInside = run.size() <= shortest && run.find(letter) != std::string_view::npos;
    if ((isAtAnEnd || isInside) && !isOther) return true;
    begin = std::find_if(end, part.end(), isLetter);
  }
  return false;
}

/// Returns true if a part of a dotted name says keys: `k.lin`.
bool saysKeys(std::string name) {
  while (!name.empty() && !saysProjection(name, 'k') &&
         !hasWord(lastPartOfName(name),
                  {"cle", "clef", "clave", "chave", "chiave", "schluessel", "schlussel", "jian"})) {
    name = parentPath(name);
  }
  return !name.empty();
}

}  // namespace

char letterBeside(const std::string& letters) {
  constexpr std::string_view all = "qkv";
  return all[all.find_first_not_of(letters)];
}

bool saysProjection(const std::string& name, char letter) {
  const std::string own = lastWordPart(name);
  const std::string letters = projectionLetters(own);
  if (!letters.empty()) return letters == std::string(1, letter);
  constexpr std::size_t longestOfLetters = 3;
  return mentions(own, {letter == 'q'   ? "q"
                        : letter == 'k' ? "key"
                                        : "val"}) ||
         (own.size() <= longestOfLetters && own.ends_with(letter));
}

std::optional<bool> keysComeFirst(const std::string& first, const std::string& second) {
  const std::string path = commonPath(std::array{first, second});
  const std::array<std::string, 2> names{first.substr(path.size()), second.substr(path.size())};
  const auto says = [](std::string name, char letter, const char* inPaper) {
    while (!name.empty() && !saysProjection(name, letter) &&
           !hasWord(lastPartOfName(name), {inPaper})) {
      name = parentPath(name);
    }
    return !name.empty();
  };
  const auto isPair = [&](std::size_t keys) {
    const std::string& own = names[keys];
    const std::string& other = names[1 - keys];
    const bool ofKeys = says(own, 'k', "e") && !says(own, 'v', "f");
    const bool ofValues = says(other, 'v', "f") && !says(other, 'k', "e");
    return (ofKeys && !says(other, 'k', "e")) || (ofValues && !says(own, 'v', "f"));
  };
  return isPair(0) == isPair(1) ? std::nullopt : std::optional(isPair(0));
}

bool saysBesideAttention(const std::string& name) {
  const std::string own = lastWordPart(name);
  // An output may be called `aggregate` or `propagate`.
  const bool saysGate = mentions(own, {"gate"}) && !mentions(own, {"aggregate", "propagate"});
  return saysGate || mentions(own, {"gating", "skip", "shortcut", "resid"}) ||
         hasWord(own, {"res", "pos", "position", "positions", "rel", "relative"});
}

bool isCalledOutput(const std::string& name) {
  return hasWord(lastWordPart(name),
                 {"o", "wo", "out", "output", "proj", "projection", "fc", "dense", "unify",
                  "unifyheads", "merge", "sortie", "uscita", "salida", "saida", "ausgang"});
}

bool mayBeCalledOutput(const std::string& name) {
  const std::string own = lastWordPart(name);
  return isCalledOutput(name) || hasWord(own, {"w", "last", "final", "back", "post"}) ||
         own.ends_with('o') ||
         mentions(own, {"out", "proj", "fc", "dense", "lin", "unif", "merg", "combin", "conc",
                        "mix", "agg", "cat", "join", "fus", "heads", "ausg"});
}

bool saysNoOutput(const std::string& name) {
  if (saysBesideAttention(name)) return true;
  const std::string own = lastWordPart(name);
  return !isCalledOutput(name) &&
         (mentions(own, {"lepe", "bypass", "local", "memory", "identity", "branch"}) ||
          hasWord(own, {"mem", "sum", "beta", "alpha", "gamma", "z", "g", "r", "u", "silu", "act",
                        "sigmoid", "tanh", "pe", "side", "ident"}));
}

std::optional<ProjectionOrder> orderProjections(const std::array<std::string, 3>& names) {
  const std::array<std::string, 3> parts = differingParts(names);
  std::optional<std::size_t> query;
  std::optional<std::size_t> value;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool hasQ = saysLetter(parts[i], 'q');
    const bool hasV = saysLetter(parts[i], 'v');
    if (hasQ && !hasV) {
      if (query) return std::nullopt;
      query = i;
    } else if (hasV && !hasQ) {
      if (value) return std::nullopt;
      value = i;
    }
  }
  if (!query || !value) return std::nullopt;
  // `qk` beside `v` and `out`, `q` beside `kv`: keys are queries or values, and the third is the
  // output's.
  for (const std::size_t other : {*query, *value}) {
    if (projectionLetters(parts[other]).find('k') != std::string::npos) return std::nullopt;
  }
  const std::size_t key = 3 - *query - *value;
  const bool saysKey = saysKeys(parts[key]);
  if (!saysKey && (isCalledOutput(names[key]) || saysNoOutput(names[key]))) return std::nullopt;
  return ProjectionOrder{{*query, key, *value}, saysKey};
}

bool isCalledMlp(const std::string& name) {
  return mentions(lowerCase(name), {"mlp", "ffn", "feed"}) ||
         hasWord(name, {"ff", "ffd", "ffwd", "fnn"});
}

std::string moduleOfProduct(std::string name) {
  while (numberOfSibling(name) >= 0) name = parentPath(name);
  return parentPath(name);
}

std::optional<bool> precedesByNumber(const std::string& first, const std::string& second) {
  const auto one = differingNumber(first, second);
  const auto other = differingNumber(second, first);
  return one && other && *one != *other ? std::optional(*one < *other) : std::nullopt;
}

std::optional<bool> expandsByWord(const std::string& first, const std::string& second) {
  const std::string path = commonPath(std::array{first, second});
  const std::string one = first.substr(path.size());
  const std::string other = second.substr(path.size());
  // `up_proj` and `down_proj` are both called projections, which would hide what else they say.
  const auto told = expandsAsNamed(one, other, saysWidening, saysNarrowing);
  return told ? told : expandsAsNamed(one, other, saysExpansion, saysContraction);
}

std::string projectionLetters(const std::string& name) {
  constexpr const char* ofProjections = "qkv";
  const std::string text = withProjectionLetters(lastWordPart(name));
  const auto isLetter = [&](std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string letters;
  std::size_t end = 0;
  for (std::size_t at = text.find_first_of(ofProjections); at != std::string::npos;
       at = text.find_first_of(ofProjections, end)) {
    end = std::min(text.find_first_not_of(ofProjections, at), text.size());
    // A single letter inside a word, as in `back`, says nothing.
    const bool isWord = !(at > 0 && isLetter(at - 1)) && !isLetter(end);
    if (isWord || end - at > 1) letters += text.substr(at, end - at);
  }
  return letters;
}

std::optional<ToldProjections> tellProjections(
    const std::vector<TensorUnit>& units, bool isOrdered,
    const std::function<bool(const std::vector<TensorUnit>&, const TensorUnit*)>& fits) {
  std::optional<ToldProjections> best;
  bool bestSaysKey = false;
  // The last matrix is tried as the output first: it wins if letters do not decide.
  const std::ptrdiff_t outputs = units.size() == 4 ? 4 : 0;
  for (std::ptrdiff_t at = outputs > 0 ? outputs - 1 : -1; at >= (outputs > 0 ? 0 : -1); --at) {
    std::vector<TensorUnit> three = units;
    std::optional<TensorUnit> output;
    if (at >= 0) {
      output = units[static_cast<std::size_t>(at)];
      three.erase(three.begin() + at);
    }
    const auto told = orderProjections({three[0].name, three[1].name, three[2].name});
    if (!told || (output ? saysNoOutput(output->name) : !told->saysKey)) continue;
    const std::vector<TensorUnit> inOrder{three[told->order[0]], three[told->order[1]],
                                          three[told->order[2]]};
    if (!fits(inOrder, output ? &*output : nullptr)) continue;
    // Of two matrices that say nothing, the file's order tells the output alone where the other one
    // stands between queries and values.
    const bool isBetween = isOrdered && at == outputs - 1 && told->order[1] == 1;
    if (!told->saysKey && !(output && (isCalledOutput(output->name) || isBetween))) continue;
    if (best && (bestSaysKey || !told->saysKey)) continue;
    bestSaysKey = told->saysKey;
    best = ToldProjections{inOrder, output};
  }
  return best;
}

}  // namespace softscope
