#include "models/Registry.h"

#include "models/Deit.h"
#include "models/Soft.h"
#include "models/T2t.h"

namespace softscope {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      softFamily(),
      deitFamily(),
      t2tFamily(),
  };
  return all;
}

}  // namespace softscope
