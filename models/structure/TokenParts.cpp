#include "models/structure/TokenParts.h"

#include "core/Error.h"
#include "models/identify/ShapeReader.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

using Units = std::vector<TensorUnit>;

/// Returns the rows of a table [.., C] whose other sizes are 1: [C], [n, C], [1, n, C], [n, 1, C];
/// 0 for any other shape.
std::int64_t rowsOfTable(const std::vector<std::int64_t>& shape, std::int64_t channels) {
  if (shape.empty() || shape.size() > 3 || shape.back() != channels) return 0;
  std::int64_t rows = 1;
  int longer = 0;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    rows *= shape[i];
    longer += shape[i] > 1;
  }
  return longer > 1 ? 0 : rows;
}

bool saysPosition(const TensorUnit& unit) {
  const std::string name = lowerCase(unit.name);
  const std::string last = lastPartOfName(name);
  return mentions(name, {"pos", "wpe"}) || last == "pe" || name.ends_with(".pe.weight");
}

/// Returns true if a product without bias is an embedding table of positions: if it says so, or if
/// the head begins with another product and none takes as many numbers as this one has rows.
bool mayBeTable(const TensorUnit& unit, const Units& units, std::int64_t channels) {
  if (saysPosition(unit)) return true;
  const auto isSquare = [](std::int64_t rows) {
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(rows))));
    return side * side == rows;
  };
  const auto isTaken = [&](std::int64_t inputs) {
    return std::ranges::any_of(units, [&](const TensorUnit& other) {
      return &other != &unit && other.hasDimensions(2) && !other.isBare && other.size(1) == inputs;
    });
  };
  const std::int64_t rows = unit.size(0);
  return (isSquare(rows) || isSquare(rows - 1)) && isTaken(channels) && !isTaken(rows);
}

bool saysToken(const TensorUnit& unit) {
  return mentions(lastPartOfName(unit.name),
                  {"reg", "token", "cls", "class", "memory", "prompt"}) &&
         !saysPosition(unit);
}

class TokenReader {
 public:
  TokenReader(Units& units, TransformerStructure& read) : units_(units), read_(read) {}

  void run() {
    std::vector<TensorUnit> tables = takeTables();
    for (const TensorUnit& unit : tables) {
      if (rowsOfTable(unit.shape, read_.channels) == 1 && !saysPosition(unit)) {
        placeOnce(unit, read_.classToken);
      }
    }
    std::erase_if(tables, [&](const TensorUnit& unit) {
      return read_.classToken && read_.classToken->name == unit.weight;
    });
    for (const TensorUnit& unit : tables) {
      if (isRegister(unit, tables)) {
        placeOnce(unit, read_.registers);
        read_.registerCount = rowsOfTable(unit.shape, read_.channels);
      } else {
        placeOnce(unit, read_.positions);
      }
    }
  }

 private:
  /// Takes every parameter that stands alone, and embedding tables.
  Units takeTables() {
    const Units before = units_;
    Units tables;
    std::erase_if(units_, [&](const TensorUnit& unit) {
      const bool isTable = !unit.isBare && unit.hasDimensions(2) && unit.bias.empty() &&
                           unit.size(1) == read_.channels &&
                           mayBeTable(*std::ranges::find(before, unit.name, &TensorUnit::name),
                                      before, read_.channels);
      if (!unit.isBare && !isTable) return false;
      if (rowsOfTable(unit.shape, read_.channels) == 0) {
        throw ModelError("tensor without a place: " + unitText(unit));
      }
      tables.push_back(unit);
      return true;
    });
    return tables;
  }

  /// Tells registers from positions: by name, or else by being fewer.
  bool isRegister(const TensorUnit& unit, const Units& tables) const {
    if (saysPosition(unit)) return false;
    const auto rows = rowsOfTable(unit.shape, read_.channels);
    const bool othersSayPosition = std::ranges::any_of(tables, saysPosition);
    const bool areMore = std::ranges::any_of(tables, [&](const TensorUnit& other) {
      return rowsOfTable(other.shape, read_.channels) > rows;
    });
    if (othersSayPosition || areMore) return true;
    constexpr std::int64_t mostRegisters = 8;
    return saysToken(unit) || rows <= mostRegisters;
  }

  static void placeOnce(const TensorUnit& unit, std::optional<BareTensor>& place) {
    if (place) {
      throw ModelError("tensor without a place: " + unitText(unit) + ", beside " + place->name);
    }
    place = BareTensor{unit.weight, unit.shape};
  }

  Units& units_;
  TransformerStructure& read_;
};

std::int64_t sideOfSquare(std::int64_t count) {
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(count))));
  return side * side == count ? side : 0;
}

/// Lays patches out as a square or, if they make none, as the rectangle nearest to it, wider than
/// high.
void layOut(std::int64_t patches, TransformerStructure& read) {
  std::int64_t rows = sideOfSquare(patches);
  for (std::int64_t i = 1; rows == 0 && i * i <= patches; ++i) {
    if (patches % i == 0) read.patchRows = i;
  }
  if (rows > 0) read.patchRows = rows;
  read.patchColumns = patches / read.patchRows;
}

}  // namespace

void readTokens(std::vector<TensorUnit>& units, TransformerStructure& read) {
  TokenReader(units, read).run();
}

std::optional<std::int64_t> positionRows(const TransformerStructure& read) {
  if (!read.positions) return std::nullopt;
  return rowsOfTable(read.positions->shape, read.channels);
}

void settleGrid(TransformerStructure& read, const std::optional<SaidSize>& size) {
  constexpr std::int64_t mostPatches = 1 << 20;
  const auto rows = positionRows(read);
  const std::int64_t told = read.patchCount();
  const bool fits =
      size && size->height % read.patches.height == 0 && size->width % read.patches.width == 0;
  const std::int64_t saidRows = fits ? size->height / read.patches.height : 0;
  const std::int64_t saidColumns = fits ? size->width / read.patches.width : 0;
  const std::int64_t said = saidRows * saidColumns;
  if (rows && *rows > mostPatches) throw ModelError("has positions for too many patches");
  const bool saidFits = said > 0 && (told == 0 || said == told) &&
                        (!rows || *rows == said || (read.classToken && *rows == said + 1));
  if (saidFits) {
    read.patchRows = saidRows;
    read.patchColumns = saidColumns;
    read.classPositions = rows ? *rows - said : 0;
    return;
  }
  if (told > 0) return layOut(told, read);
  if (!rows) return;
  // A class token's position comes on top of a square of patches.
  const bool countsClass = read.classToken && sideOfSquare(*rows) == 0 && *rows > 1;
  read.classPositions = countsClass ? 1 : 0;
  layOut(*rows - read.classPositions, read);
}

}  // namespace softscope
