#include "core/image/MutedDecoder.h"

#include <opencv2/core/utils/logger.hpp>

namespace softscope {

MutedDecoder::MutedDecoder() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
}

}  // namespace softscope
