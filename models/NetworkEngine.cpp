#include "models/NetworkEngine.h"

#include "core/network/Measurements.h"
#include "models/OpenModel.h"

namespace softscope {

Engine networkEngine() {
  Engine engine = measuringEngine();
  engine.openModel = openModel;
  return engine;
}

}  // namespace softscope
