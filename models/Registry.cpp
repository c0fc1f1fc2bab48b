#include "models/Registry.h"

#include "models/Soft.h"

namespace softscope {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      softFamily(),
  };
  return all;
}

}  // namespace softscope
