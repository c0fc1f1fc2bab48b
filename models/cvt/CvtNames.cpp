#include "models/cvt/CvtNames.h"

#include <cstddef>
#include <string_view>

namespace softscope {

namespace {

CvtNames huggingFaceCvtNames(const std::string& wrapper) {
  CvtNames names;
  names.stage = wrapper + "encoder.stages.";
  names.embedding = "embedding.convolution_embeddings.projection";
  names.embeddingNorm = "embedding.convolution_embeddings.normalization";
  names.blocks = "layers";
  names.norm1 = "layernorm_before";
  names.attention = "attention";
  names.norm2 = "layernorm_after";
  names.expand = "intermediate.dense";
  names.contract = "output.dense";
  names.queryConvolution = "attention.convolution_projection_query";
  names.keyConvolution = "attention.convolution_projection_key";
  names.valueConvolution = "attention.convolution_projection_value";
  names.query = "attention.projection_query";
  names.key = "attention.projection_key";
  names.value = "attention.projection_value";
  names.projection = "output.dense";
  names.convolution = "convolution_projection.convolution";
  names.convolutionNorm = "convolution_projection.normalization";
  names.norm = "layernorm";
  names.head = "classifier";
  return names;
}

}  // namespace

CvtNames cvtNamesOf(const StateDict& state) {
  constexpr std::string_view stages = "encoder.stages.";
  for (const StateDict::Entry& entry : state.entries()) {
    const std::size_t at = entry.name.find(stages);
    if (at != std::string::npos) return huggingFaceCvtNames(entry.name.substr(0, at));
  }
  return {};
}

}  // namespace softscope
