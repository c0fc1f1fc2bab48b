#include "core/analysis/bottleneck/NystromForm.h"

#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckOf.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/Mechanism.h"

namespace softscope {

std::vector<NystromForm> nystromForms(const LayerInspection& layer) {
  const auto* factored = dynamic_cast<const FactoredMap*>(layer.attention.get());
  // Also says why there is none.
  bottleneckInverseOf(layer, 0);
  const AttentionDescription& description = layer.attention->description();
  const auto& bottleneck = traitsOf(description.mechanism).bottleneck;
  if (factored == nullptr || !bottleneck || !bottleneck->normalised) {
    return {{layer.attention, false}};
  }
  const MatrixStack inverse(layer.bottleneckInverse);
  return {{std::make_shared<FactoredMap>(description, factored->left(), inverse, factored->right()),
           false},
          {layer.attention, true}};
}

const AttentionMap& exactKernelOf(const LayerInspection& layer) {
  if (!layer.exactKernel) {
    throw InspectionError("layer " + layer.name + " approximates no kernel: its mechanism is " +
                          layer.attention->description().mechanism + "; choose a layer of " +
                          mechanismsWithBottleneck());
  }
  return *layer.exactKernel;
}

}  // namespace softscope
