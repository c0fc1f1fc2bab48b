#include "core/machine/OtherWork.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/times.h>
#include <unistd.h>

namespace softscope {

OtherWork::OtherWork() : begin_(account()) {}

std::optional<OtherWork::Account> OtherWork::account() {
  std::ifstream file("/proc/stat");
  Account account;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    std::int64_t user = 0;
    std::int64_t nice = 0;
    std::int64_t system = 0;
    std::int64_t idle = 0;
    std::int64_t waiting = 0;
    std::int64_t interrupts = 0;
    std::int64_t softInterrupts = 0;
    std::int64_t stolen = 0;
    words >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> softInterrupts >>
        stolen;
    if (name == "cpu") {
      account.all = user + nice + system + interrupts + softInterrupts + stolen;
    } else {
      ++account.cores;
    }
  }
  struct tms own {};
  if (account.all <= 0 || account.cores == 0 || times(&own) == static_cast<clock_t>(-1)) {
    return std::nullopt;
  }
  account.own = own.tms_utime + own.tms_stime;
  account.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return account;
}

std::optional<double> OtherWork::coresLost(int threads) const {
  const std::optional<Account> now = account();
  const auto perSecond = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (!begin_ || !now || perSecond <= 0 || now->wall <= begin_->wall) return std::nullopt;
  const auto others =
      static_cast<double>((now->all - begin_->all) - (now->own - begin_->own)) / perSecond;
  const double idle = std::max(0, now->cores - threads);
  return std::max(0.0, others / (now->wall - begin_->wall) - idle);
}

}  // namespace softscope
