#include "core/network/MeasuringEngine.h"

#include "core/network/ClassMapMeasurement.h"
#include "core/network/DeletionMeasurement.h"
#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/network/ReachMeasurement.h"
#include "core/network/ShareMeasurement.h"

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
