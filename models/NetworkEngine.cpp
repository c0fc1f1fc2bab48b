#include "models/NetworkEngine.h"

#include "core/network/ClassMapMeasurement.h"
#include "core/network/DeletionMeasurement.h"
#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/network/ReachMeasurement.h"
#include "core/network/ShareMeasurement.h"
#include "models/OpenModel.h"

namespace softscope {

Engine networkEngine() {
  return {.openModel = openModel,
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
