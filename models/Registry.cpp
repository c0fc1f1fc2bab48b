#include "models/Registry.h"

#include "models/Cvt.h"
#include "models/Deit.h"
#include "models/Preresnet.h"
#include "models/Pyramid.h"
#include "models/Sima.h"
#include "models/Soft.h"
#include "models/T2t.h"
#include "models/Xcit.h"

namespace softscope {

const std::vector<Family>& families() {
  // A pyramid with another attention has SOFT's names and more, so it is asked first.
  static const std::vector<Family> all{
      pyramidFamily(), softFamily(), simaFamily(), xcitFamily(),
      deitFamily(),    t2tFamily(),  cvtFamily(),  preresnetFamily(),
  };
  return all;
}

}  // namespace softscope
