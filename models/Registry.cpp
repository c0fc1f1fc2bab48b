#include "models/Registry.h"

#include "models/Cvt.h"
#include "models/Deit.h"
#include "models/Sima.h"
#include "models/Soft.h"
#include "models/T2t.h"
#include "models/Xcit.h"

namespace softscope {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      softFamily(), simaFamily(), xcitFamily(), deitFamily(), t2tFamily(), cvtFamily(),
  };
  return all;
}

}  // namespace softscope
