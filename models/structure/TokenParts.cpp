#include "core/Error.h"
#include "models/structure/HeadProducts.h"
#include "models/structure/OuterParts.h"
#include "models/structure/PatchGrid.h"
#include "models/structure/TokenNames.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace softscope {

namespace {

using Units = std::vector<TensorUnit>;

/// Returns true for a table [1, n, n, C] of a square of patches.
bool isSquareTable(const std::vector<std::int64_t>& shape) {
  return shape.size() == 4 && shape[0] == 1 && shape[1] == shape[2] && shape[1] > 1;
}

/// Returns the rows of a table [.., C] whose other sizes are 1: [C], [n, C], [1, n, C], [n, 1, C];
/// and of [1, n, n, C]. Returns 0 for any other shape.
std::int64_t rowsOfTable(const std::vector<std::int64_t>& shape, std::int64_t channels) {
  if (shape.empty() || shape.back() != channels) return 0;
  if (isSquareTable(shape)) return shape[1] * shape[2];
  if (shape.size() > 3) return 0;
  std::int64_t rows = 1;
  int longer = 0;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    rows *= shape[i];
    longer += shape[i] > 1;
  }
  return longer > 1 ? 0 : rows;
}

/// Returns the shape without the 1 in front of it.
std::vector<std::int64_t> withoutBatch(const std::vector<std::int64_t>& shape) {
  const bool hasBatch = shape.size() > 2 && shape.front() == 1;
  return {shape.begin() + (hasBatch ? 1 : 0), shape.end()};
}

/// Returns the columns of a table [C, n] or [C, n, n], with a 1 in front or without, which only one
/// that is called positions may be; 0 for any other shape, and where the last size is C as well.
std::int64_t columnsOfTable(const std::vector<std::int64_t>& shape, std::int64_t channels) {
  const std::vector<std::int64_t> own = withoutBatch(shape);
  if (own.size() < 2 || own.front() != channels || own.back() == channels) return 0;
  if (own.size() == 2) return own[1];
  return own.size() == 3 && own[1] == own[2] ? own[1] * own[2] : 0;
}

/// Returns the rows of a table of positions in any layout.
std::int64_t rowsOfPositions(const std::vector<std::int64_t>& shape, std::int64_t channels) {
  if (const std::int64_t rows = rowsOfTable(shape, channels); rows > 0) return rows;
  const bool isGrid = shape.size() == 3 && shape[0] == shape[1] && shape[2] == channels;
  return isGrid ? shape[0] * shape[1] : columnsOfTable(shape, channels);
}

/// Returns true for a product without bias that has as many rows as a square of patches, with a
/// class token or without, if another one takes the tokens, and none as many numbers as this one
/// has rows.
bool hasRowsOfPositions(const TensorUnit& unit, const Units& units, std::int64_t channels) {
  const auto isSquare = [](std::int64_t rows) { return sideOfPatches(rows) > 0; };
  const auto isTaken = [&](std::int64_t inputs) {
    return std::ranges::any_of(units, [&](const TensorUnit& other) {
      return &other != &unit && other.isMatrix() && other.size(1) == inputs;
    });
  };
  const std::int64_t rows = unit.size(0);
  return unit.isMatrix() && unit.bias.empty() && unit.size(1) == channels &&
         (isSquare(rows) || isSquare(rows - 1)) && isTaken(channels) && !isTaken(rows);
}

/// Returns true if a product is known to be the head's: by a word, or because it follows another
/// one.
bool isToldOfHead(const TensorUnit& unit, const Units& units) {
  return hasWord(unit.name, {"head", "heads", "classifier", "clf", "fc", "logits", "out", "output",
                             "predict", "prediction"}) ||
         std::ranges::any_of(units, [&](const TensorUnit& other) {
           return other.isMatrix() && other.size(0) == unit.size(1) && other.name != unit.name &&
                  areInSeries(other.name, unit.name);
         });
}

class TokenReader {
 public:
  TokenReader(Units& units, const SaidGrid& said, TransformerStructure& read)
      : units_(units), said_(said), read_(read) {}

  void run() {
    Units tables = takeTables();
    const Units missing = takeMissing(tables);
    takeClassToken(tables);
    takeNamed(tables);
    if (read_.positions) {
      const std::vector<std::int64_t>& shape = read_.positions->shape;
      read_.arePositionsInColumns =
          rowsOfTable(shape, read_.channels) == 0 && columnsOfTable(shape, read_.channels) > 0;
      const bool isInRows = rowsOfTable(shape, read_.channels) > 0;
      read_.arePositionsOfGrid =
          shape.size() == 4 || (!isInRows && withoutBatch(shape).size() == 3);
    }
    placeOthers(tables);
    for (const TensorUnit& unit : missing) placeMissing(unit, missing.size() == 1);
  }

 private:
  std::int64_t rowsOf(const TensorUnit& unit) const {
    return saysPosition(unit) && unit.isBare ? rowsOfPositions(unit.shape, read_.channels)
                                             : rowsOfTable(unit.shape, read_.channels);
  }

  /// Places the tables whose names do not say what they are.
  void placeOthers(Units& tables) {
    if (tables.empty()) return;
    if (read_.positions) {
      if (!saysToken(tables.front())) refuseNoToken(tables.front());
      placeRegisters(tables.front());
    } else if (read_.registers || tables.size() > 1) {
      placeLikeliest(tables);
    } else {
      placeSingle(tables.front());
    }
    for (std::size_t i = 1; i < tables.size(); ++i) placeLeft(tables[i]);
  }

  /// Takes the tokens whose names say that they stand for something missing, but for one that the
  /// positions have a row for and nothing else does.
  Units takeMissing(Units& tables) const {
    Units missing;
    bool isNeeded = false;
    bool hasOthers = false;
    for (const TensorUnit& unit : tables) {
      const std::int64_t rows = rowsOf(unit);
      const bool isTable =
          rows > 2 && !saysMissing(unit) && !saysToken(unit) && !saysRegister(unit);
      isNeeded = isNeeded || (isTable && sideOfPatches(rows) == 0 && sideOfPatches(rows - 1) > 0);
      hasOthers = hasOthers || (!isTable && !saysMissing(unit));
    }
    if (isNeeded && !hasOthers) return missing;
    std::erase_if(tables, [&](const TensorUnit& unit) {
      const bool isMissing = saysMissing(unit) && !saysPosition(unit);
      if (isMissing) missing.push_back(unit);
      return isMissing;
    });
    return missing;
  }

  /// Leaves out a token that stands for something missing, unless someone says that it is in the
  /// sequence and no other token may be meant.
  void placeMissing(const TensorUnit& unit, bool isOnly) {
    if (said_.hasRegisters == true && isOnly && !read_.registers) return placeRegisters(unit);
    read_.leftOutTokens.push_back(unit.weight);
  }

  /// Takes the class token: the only single row, or the one that is called so.
  void takeClassToken(Units& tables) {
    Units single;
    std::ranges::copy_if(tables, std::back_inserter(single), [&](const TensorUnit& unit) {
      return rowsOf(unit) == 1 && !saysPosition(unit) && !saysRegister(unit);
    });
    if (single.empty()) return;
    auto token = std::ranges::find_if(single, isCalledClassToken);
    if (token == single.end()) token = std::ranges::find_if(single, saysClass);
    const bool isDoubtful = token != single.end() && !isCalledClassToken(*token) &&
                            std::ranges::count_if(single, saysClass) > 1;
    if (token == single.end() || isDoubtful) {
      if (single.size() > 1) {
        throw ModelError("tensor without a place: " + unitText(single[1]) + ", beside " +
                         single[0].name + ", either of which may be the class token");
      }
      token = single.begin();
      if (saysEmbedding(*token)) refuseNoToken(*token);
    }
    const bool isSaidToBeNone = said_.hasClassToken == false && saysToken(*token);
    if (isSaidToBeNone && !saysClass(*token)) {
      read_.leftOutVector = token->weight;
    } else {
      read_.classToken = BareTensor{token->weight, token->shape};
      read_.isClassTokenNamed = saysClass(*token);
      read_.isClassTokenCalledToken = saysToken(*token);
    }
    const std::string name = token->name;
    std::erase_if(tables, [&](const TensorUnit& unit) { return unit.name == name; });
  }

  /// Places the tables whose names say what they are.
  void takeNamed(Units& tables) {
    std::erase_if(tables, [&](const TensorUnit& unit) {
      if (saysPosition(unit)) {
        placeOnce(unit, read_.positions);
        return true;
      }
      if (saysRegister(unit)) placeRegisters(unit);
      return saysRegister(unit);
    });
  }

  /// Takes one of several tables of unknown use, or the one beside registers, for the positions: a
  /// table as long as those of a picture of a usual size, or else the longest.
  void placeLikeliest(Units& tables) {
    std::int64_t all = read_.registerCount;
    for (const TensorUnit& unit : tables) all += rowsOf(unit);
    const auto rank = [&](const TensorUnit& unit) {
      const PatchesOfRows patches = patchesOf(rowsOf(unit), all - rowsOf(unit));
      return std::tuple(patches.areSaid, patches.areOfUsualPicture, patches.count > 0,
                        rowsOf(unit));
    };
    const auto best = std::ranges::max_element(tables, {}, rank);
    placeOnce(*best, read_.positions);
    std::rotate(tables.begin(), best, tables.end());
  }

  /// Places what is left behind placeLikeliest().
  void placeLeft(const TensorUnit& unit) {
    if (read_.registers) placeOnce(unit, read_.registers);
    placeRegisters(unit);
  }

  struct PatchesOfRows {
    std::int64_t count = 0;
    bool areSaid = false;
    bool areOfUsualPicture = false;
  };

  /// Returns the patches that a table of positions is for: those of the picture whose size is said,
  /// or a square of them; beside them, it may have rows for the class token, for no other token, or
  /// for all of them.
  PatchesOfRows patchesOf(std::int64_t rows, std::int64_t registers) const {
    const std::int64_t classes = read_.classToken.has_value();
    PatchesOfRows found;
    for (const std::int64_t prefix : {classes, std::int64_t{0}, classes + registers}) {
      const std::int64_t count = rows - prefix;
      if (count > 0 && count == saidPatches()) return {count, true, true};
      const std::int64_t side = sideOfPatches(count);
      const bool isUsual = isUsualSide(side * read_.patches.height);
      if (side == 0 || (found.count > 0 && (found.areOfUsualPicture || !isUsual))) continue;
      found = {count, false, isUsual};
    }
    return found;
  }

  std::int64_t saidPatches() const {
    const PatchStructure& patches = read_.patches;
    if (!said_.size || patches.height == 0) return 0;
    return (said_.size->height / patches.height) * (said_.size->width / patches.width);
  }

  /// Places the only table that nothing says anything of: few rows are registers, unless they are
  /// the positions of a small picture.
  void placeSingle(const TensorUnit& unit) {
    constexpr std::int64_t mostRegisters = 8;
    const std::int64_t rows = rowsOf(unit);
    if (rows > mostRegisters) return placeOnce(unit, read_.positions);
    const PatchesOfRows patches = patchesOf(rows, 0);
    if (patches.areSaid) return placeOnce(unit, read_.positions);
    if (saidPatches() == 0 && patches.areOfUsualPicture) {
      throw ModelError("ambiguous parameter: " + unitText(unit) +
                       " holds registers, or the positions of " + std::to_string(patches.count) +
                       " patches; say which with image_size in a config.json beside the file");
    }
    placeRegisters(unit);
  }

  void placeRegisters(const TensorUnit& unit) {
    if (saysEmbedding(unit)) refuseNoToken(unit);
    if (saysClass(unit) && rowsOf(unit) > 1) {
      throw ModelError("tensor without a place: " + unitText(unit) +
                       ", several class tokens, and nothing tells what the head takes of them");
    }
    if (said_.hasRegisters == false) {
      if (!saysToken(unit) && !saysRegister(unit)) refuseNoToken(unit);
      read_.leftOutTokens.push_back(unit.weight);
      return;
    }
    placeOnce(unit, read_.registers);
    read_.registerCount = rowsOf(unit);
  }

  /// Takes every parameter that stands alone, and embedding tables.
  Units takeTables() {
    const Units before = units_;
    Units tables;
    std::erase_if(units_, [&](const TensorUnit& unit) {
      const bool isTable =
          unit.isMatrix() && unit.bias.empty() && unit.size(1) == read_.channels &&
          isEmbeddingTable(*std::ranges::find(before, unit.name, &TensorUnit::name), before);
      if (!unit.isBare && !isTable) {
        if (isTableOfKinds(unit)) refuseNoToken(unit);
        return false;
      }
      // NaFlexViT, which fits its table to each picture's rows and columns, embeds with a product.
      const bool isConvolved = !read_.patches.weight.empty();
      const bool isTaken = unit.shape.size() < 4 || (saysPosition(unit) && isConvolved);
      if (rowsOf(unit) == 0 || !isTaken) {
        throw ModelError("tensor without a place: " + unitText(unit));
      }
      if (saysNoToken(unit)) refuseNoToken(unit);
      tables.push_back(unit);
      return true;
    });
    return tables;
  }

  /// Returns true if a product without bias, one of `units`, is an embedding table: if it says
  /// positions, or if its rows do and nothing says that it is of the head. Throws for one that may
  /// be either.
  bool isEmbeddingTable(const TensorUnit& unit, const Units& units) const {
    if (saysPosition(unit)) return true;
    if (!hasRowsOfPositions(unit, units, read_.channels)) return false;
    if (isToldOfHead(unit, units)) return false;
    if (unit.size(0) == 1) {
      if (saysClass(unit) || saysToken(unit) || saysRegister(unit) || saysEmbedding(unit)) {
        return true;
      }
      throw ModelError("tensor without a place: " + unitText(unit) +
                       ", which may weigh the tokens for a pool, and is not called a token");
    }
    const bool isConvolved = !read_.patches.weight.empty();
    const auto widening = std::ranges::count_if(units, [&](const TensorUnit& other) {
      return &other != &unit && other.isMatrix() && other.size(0) == read_.channels;
    });
    const bool mayEndHead = widening > (isConvolved ? 0 : 1);
    const bool areElsewhere = std::ranges::any_of(
        units, [&](const TensorUnit& other) { return &other != &unit && saysPosition(other); });
    if (mayEndHead && areElsewhere) return false;
    const bool isOneOfTwo = std::ranges::any_of(units, [&](const TensorUnit& other) {
      return &other != &unit && hasRowsOfPositions(other, units, read_.channels) &&
             other.size(0) > 1 && !saysPosition(other) && !isToldOfHead(other, units);
    });
    if (!mayEndHead && !isOneOfTwo) return true;
    throw ModelError("ambiguous parameter: " + unitText(unit) +
                     " may hold positions or be the last product of the head, and neither a name "
                     "nor a bias tells which");
  }

  /// Returns true for an embedding table of kinds of tokens: `segment_embeddings`.
  bool isTableOfKinds(const TensorUnit& unit) const {
    return unit.hasDimensions(2) && unit.bias.empty() && unit.size(1) == read_.channels &&
           saysKind(unit) && mentions(lastPartOfName(unit.name), {"emb"});
  }

  [[noreturn]] static void refuseNoToken(const TensorUnit& unit) {
    throw ModelError("tensor without a place: " + unitText(unit) +
                     ", whose name is not that of tokens or positions");
  }

  static void placeOnce(const TensorUnit& unit, std::optional<BareTensor>& place) {
    if (place) {
      throw ModelError("tensor without a place: " + unitText(unit) + ", beside " + place->name);
    }
    place = BareTensor{unit.weight, unit.shape};
  }

  Units& units_;
  const SaidGrid& said_;
  TransformerStructure& read_;
};

}  // namespace

void readTokens(std::vector<TensorUnit>& units, const SaidGrid& said, TransformerStructure& read) {
  TokenReader(units, said, read).run();
}

std::optional<std::int64_t> positionRows(const TransformerStructure& read) {
  if (!read.positions) return std::nullopt;
  return rowsOfPositions(read.positions->shape, read.channels);
}

}  // namespace softscope
