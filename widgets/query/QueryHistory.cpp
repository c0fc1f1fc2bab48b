#include "widgets/query/QueryHistory.h"

#include <utility>

namespace softscope {
namespace {

constexpr std::size_t longestHistory = 1000;

}  // namespace

void QueryHistory::change(const Queries& next) {
  unstepped_ = next == now_;
  if (unstepped_) return;
  if (past_.size() >= longestHistory) past_.erase(past_.begin());
  past_.push_back(std::exchange(now_, next));
  future_.clear();
}

void QueryHistory::move(const PictureQuery& active) {
  if (unstepped_) {
    change({active, now_.pins});
  } else {
    now_.active = active;
  }
}

void QueryHistory::undo() {
  if (!canUndo()) return;
  future_.push_back(std::exchange(now_, past_.back()));
  past_.pop_back();
}

void QueryHistory::redo() {
  if (!canRedo()) return;
  past_.push_back(std::exchange(now_, future_.back()));
  future_.pop_back();
}

void QueryHistory::forget() {
  past_.clear();
  future_.clear();
}

}  // namespace softscope
