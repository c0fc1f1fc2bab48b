#include "core/analysis/ShareTable.h"

namespace softscope {
namespace {

void addShareRow(Table& table, const MeasuredShare& measured, const LayerShare& layer,
                 std::int64_t index, const HeadShare& head) {
  const auto& knockout = head.knockout;
  const auto predicted = measured.share->predictedClass();
  const auto classCell = [](int number) { return Table::Cell(static_cast<std::int64_t>(number)); };
  const auto normCell = [&](double norm) {
    return measured.share->hasNorms ? Table::Cell(norm) : Table::Cell();
  };
  table.add(
      {measured.model, layer.layer, index, normCell(head.attentionNorm), cellOf(head.besideNorm),
       normCell(layer.residualNorm), knockout ? Table::Cell(knockout->logitChange) : Table::Cell(),
       knockout ? classCell(knockout->predictedClass) : Table::Cell(), normCell(head.projectedNorm),
       normCell(layer.outputNorm), knockout ? Table::Cell(knockout->relativeChange) : Table::Cell(),
       predicted ? classCell(*predicted) : Table::Cell()});
}

}  // namespace

Table shareTable(const std::vector<MeasuredShare>& models) {
  Table table{{"model", "layer", "head", "attention_norm", "beside_norm", "residual_norm",
               "knockout_logit_change", "knockout_class", "projected_attention_norm", "output_norm",
               "knockout_relative_change", "predicted_class"},
              {}};
  for (const MeasuredShare& measured : models) {
    for (const LayerShare& layer : measured.share->layers) {
      addShareRow(table, measured, layer, -1, layer.whole);
      for (std::size_t head = 0; head < layer.heads.size(); ++head) {
        addShareRow(table, measured, layer, static_cast<std::int64_t>(head), layer.heads[head]);
      }
    }
  }
  return table;
}

}  // namespace softscope
