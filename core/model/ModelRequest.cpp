#include "core/model/ModelRequest.h"

#include "core/attention/Mechanism.h"

namespace softscope {

ModelRequest withAttention(ModelRequest request, const std::string& mechanism) {
  request.attention = mechanism;
  if (!takesLandmarks(mechanism)) request.landmarks = {};
  return request;
}

}  // namespace softscope
