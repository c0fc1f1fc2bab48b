#include "core/analysis/ShareAnalysis.h"

#include "core/array/ComparedSentence.h"

namespace softscope {
namespace {

void addShareRow(Table& table, const MeasuredShare& measured, const LayerShare& layer,
                 std::int64_t index, const HeadShare& head) {
  const auto& knockout = head.knockout;
  const auto predicted = measured.share->predictedClass();
  const auto classCell = [](const std::optional<int>& number) {
    return number ? Table::Cell(static_cast<std::int64_t>(*number)) : Table::Cell();
  };
  const auto normCell = [&](double norm) {
    return measured.share->hasNorms ? Table::Cell(norm) : Table::Cell();
  };
  table.add(
      {measured.model, layer.layer, index, normCell(head.attentionNorm), cellOf(head.besideNorm),
       normCell(layer.residualNorm), knockout ? Table::Cell(knockout->logitChange) : Table::Cell(),
       knockout ? classCell(knockout->predictedClass) : Table::Cell(), normCell(head.projectedNorm),
       normCell(layer.outputNorm), knockout ? Table::Cell(knockout->relativeChange) : Table::Cell(),
       classCell(predicted)});
}

/// Says how large all heads of a layer together are in the residual stream, or how much the logits
/// change without them where only that is known.
std::string shareSentence(const std::vector<MeasuredShare>& models) {
  Table shares{{"model", "layer", "share", "change"}, {}};
  for (const MeasuredShare& measured : models) {
    for (const LayerShare& layer : measured.share->layers) {
      const auto& knockout = layer.whole.knockout;
      shares.add(
          {measured.model, layer.layer,
           measured.share->hasNorms ? cellOf(layer.residualShare(layer.whole)) : Table::Cell(),
           knockout ? Table::Cell(knockout->relativeChange) : Table::Cell()});
    }
  }
  const std::string ofNorms = comparedSentence(
      shares, {.quantity = "the attention's share of the residual stream", .column = "share"});
  return !ofNorms.empty()
             ? ofNorms
             : comparedSentence(shares, {.quantity = "the relative change of the logits without "
                                                     "the attention of a layer",
                                         .column = "change"});
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
  table.sentence = shareSentence(models);
  return table;
}

}  // namespace softscope
