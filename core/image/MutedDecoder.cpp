#include "core/image/MutedDecoder.h"

#include <opencv2/core/utils/logger.hpp>

#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace softscope {
namespace {

std::mutex muteMutex;
int mutes = 0;
/// Standard error as it was; -1 where there is none, or nothing to put in its place.
int mutedStandardError = -1;

}  // namespace

MutedDecoder::MutedDecoder() {
  const std::lock_guard lock(muteMutex);
  if (mutes++ > 0) return;
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  mutedStandardError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (mutedStandardError >= 0) dup2(nothing, STDERR_FILENO);
  close(nothing);
}

MutedDecoder::~MutedDecoder() {
  const std::lock_guard lock(muteMutex);
  if (--mutes > 0 || mutedStandardError < 0) return;
  dup2(mutedStandardError, STDERR_FILENO);
  close(mutedStandardError);
  mutedStandardError = -1;
}

}  // namespace softscope
