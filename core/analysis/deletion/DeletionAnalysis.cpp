#include "core/analysis/deletion/DeletionAnalysis.h"

#include "core/array/ComparedSentence.h"

#include <cstdint>
#include <string>

namespace softscope {

namespace {

void addCurve(const PictureDeletion& of, const OrderedDeletion& order, const char* name,
              const ProbabilityCurve& curve, const ChanceRank& rank, Table& table) {
  const auto counted = [&rank](int count) {
    return rank.orders > 0 ? Table::Cell(std::int64_t{count}) : Table::Cell();
  };
  for (std::size_t i = 0; i < curve.fractions.size(); ++i) {
    table.add({of.model, orderName(order.of), std::string(name), curve.fractions[i],
               curve.probabilities[i], curve.area(), Table::Cell(), Table::Cell(), order.layer,
               static_cast<std::int64_t>(of.classIndex), counted(rank.better), counted(rank.equal),
               std::int64_t{rank.orders}});
  }
}

void addBand(const PictureDeletion& of, const char* name, const CurveBand& band, Table& table) {
  const bool several = of.settings.random > 1;
  for (std::size_t i = 0; i < band.fractions.size(); ++i) {
    table.add({of.model, orderName(PatchOrderSource::Random), std::string(name), band.fractions[i],
               band.mean[i], band.area, several ? Table::Cell(band.deviation[i]) : Table::Cell(),
               several ? Table::Cell(band.areaDeviation) : Table::Cell(), std::string(),
               static_cast<std::int64_t>(of.classIndex), Table::Cell(), Table::Cell(),
               std::int64_t{of.settings.random}});
  }
}

/// Returns the title of the order that a table names.
std::string titleOf(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(PatchOrderSource::Random); ++i) {
    const auto of = static_cast<PatchOrderSource>(i);
    if (orderName(of) == name) return orderTitle(of);
  }
  return name;
}

}  // namespace

Table deletionTable(const std::vector<PictureDeletion>& deletions) {
  Table table{{"model", "ordering", "curve", "fraction", "probability", "area", "deviation",
               "area_deviation", "layer", "class", "better_than", "as_good_as", "random_orders"},
              {}};
  for (const PictureDeletion& of : deletions) {
    for (const OrderedDeletion& order : of.orders) {
      if (order.of == PatchOrderSource::Random) continue;
      addCurve(of, order, "deletion", order.curves.deletion, of.deletionRank(order), table);
      addCurve(of, order, "insertion", order.curves.insertion, of.insertionRank(order), table);
    }
    addBand(of, "deletion", of.randomDeletion(), table);
    addBand(of, "insertion", of.randomInsertion(), table);
  }
  table.sentence = comparedSentence(table, {.quantity = "the area under the deletion curve",
                                            .column = "area",
                                            .whereColumn = "curve",
                                            .whereText = "deletion",
                                            .groups = "ordering",
                                            .groupName = titleOf});
  return table;
}

}  // namespace softscope
