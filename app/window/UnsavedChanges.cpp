#include "app/window/UnsavedChanges.h"

#include "widgets/workspace/Workspace.h"

#include <QtCore/QByteArray>

#include <chrono>
#include <utility>

namespace softscope {
namespace {

/// Returns the text of what the user changes. The fingerprints of files are left out: they come to
/// be known as files are read. So are the bytes of a pasted picture, which take long to write.
QByteArray changeableText(WorkspaceState state) {
  state.pictureFingerprint.clear();
  for (ModelState& model : state.models) model.fingerprint.clear();
  if (!state.pictureBytes.isEmpty()) state.pictureBytes = QByteArrayLiteral("pasted");
  return workspaceText(state, {});
}

}  // namespace

UnsavedChanges::UnsavedChanges(const Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  constexpr std::chrono::milliseconds delay(100);
  due_.setSingleShot(true);
  due_.setInterval(delay);
  connect(&due_, &QTimer::timeout, this, &UnsavedChanges::compare);
  connect(&workspace, &Workspace::changed, this, [this] {
    if (saved_ && !due_.isActive()) due_.start();
  });
}

void UnsavedChanges::setSaved(std::optional<WorkspaceState> saved) {
  saved_ = std::move(saved);
  compare();
}

void UnsavedChanges::compare() {
  due_.stop();
  bool differs = false;
  if (saved_) {
    const WorkspaceState now = workspace_.state();
    differs =
        now.pictureBytes != saved_->pictureBytes || changeableText(now) != changeableText(*saved_);
  }
  if (std::exchange(exist_, differs) != differs) Q_EMIT changed();
}

}  // namespace softscope
