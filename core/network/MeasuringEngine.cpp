#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/network/Measurements.h"

namespace softscope {

Engine measuringEngine() {
  return {.openModel = {},
          .inspect = inspect,
          .inspectTokens = inspectTokens,
          .measureShare = measureShare,
          .measureClassMaps = measureClassMaps,
          .measureReach = measureReach,
          .measureDeletion = measureDeletion,
          .measureCost = {},
          .setThreads = setComputeThreads};
}

}  // namespace softscope
