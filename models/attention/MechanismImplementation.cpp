#include "models/attention/MechanismImplementation.h"

#include "models/attention/CosformerAttention.h"
#include "models/attention/CrossCovarianceAttention.h"
#include "models/attention/EfficientAttention.h"
#include "models/attention/EluAttention.h"
#include "models/attention/LinformerAttention.h"
#include "models/attention/NonLocalAttention.h"
#include "models/attention/NystromformerAttention.h"
#include "models/attention/PerformerAttention.h"
#include "models/attention/SimaAttention.h"
#include "models/attention/SoftCost.h"
#include "models/attention/SoftmaxAttention.h"

namespace softscope {

const std::vector<MechanismImplementation>& mechanismImplementations() {
  static const std::vector<MechanismImplementation> all{
      softmaxImplementation(),
      linformerImplementation(),
      performerImplementation(),
      nystromformerImplementation(),
      simaImplementation(),
      simaL2Implementation(),
      unnormalisedSimaImplementation(),
      eluImplementation(),
      efficientImplementation(),
      cosformerImplementation(),
      plainCosformerImplementation(),
      softImplementation(),
      softNormImplementation(),
      scaledNonLocalImplementation(),
      crossCovarianceImplementation(),
  };
  return all;
}

torch::TensorOptions costOptions(const CostRequest& request) {
  return torch::TensorOptions(torch::Device(request.device));
}

std::int64_t headWidth(const CostRequest& request) {
  return request.channels / request.heads;
}

std::int64_t queryAndKeyNumbers(const CostRequest& request) {
  return 2 * request.tokens * headWidth(request);
}

}  // namespace softscope
