#include "models/pyramid/PyramidMechanisms.h"

namespace softscope {

const std::vector<const MechanismImplementation*>& pyramidMechanisms() {
  static const std::vector<const MechanismImplementation*> taken = [] {
    std::vector<const MechanismImplementation*> some;
    for (const MechanismImplementation& implementation : mechanismImplementations()) {
      if (implementation.makeKernel != nullptr) some.push_back(&implementation);
    }
    return some;
  }();
  return taken;
}

const MechanismImplementation* findPyramidMechanism(const std::string& name) {
  for (const MechanismImplementation* implementation : pyramidMechanisms()) {
    if (implementation->mechanism->name == name) return implementation;
  }
  return nullptr;
}

}  // namespace softscope
