#include "app/window/WorkspaceFiles.h"

#include "app/window/Autosave.h"
#include "app/window/OpenFiles.h"
#include "app/window/RecentMenu.h"
#include "app/window/WindowActions.h"
#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/live/LiveModels.h"
#include "widgets/controls/NameText.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenedModel.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QMessageBox>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// Size limit of a workspace file, which contains the whole of a picture from the clipboard.
constexpr qint64 mostBytes = qint64(256) << 20;

/// Workspaces that are kept after others took their places.
constexpr std::size_t mostReplaced = 10;

/// Returns true for a file, and for a model in a Python process, which may be connected.
bool mayExist(const QString& path) {
  return QFileInfo::exists(path) || !liveName(path.toStdString()).empty();
}

/// Returns the paths of a workspace that do not exist.
std::vector<QString> missingPaths(const WorkspaceState& state) {
  std::vector<QString> missing;
  std::set<QString> known;
  const auto check = [&](const QString& path) {
    const bool isNew = !path.isEmpty() && known.insert(path).second;
    if (isNew && !mayExist(path)) missing.push_back(path);
  };
  check(state.picturePath);
  for (const ModelState& model : state.models) check(QString::fromStdString(model.request.path));
  check(QString::fromStdString(state.analysis.of<SurveySettings>().file));
  return missing;
}

void replacePath(WorkspaceState& state, const QString& before, const QString& after) {
  if (state.picturePath == before) state.picturePath = after;
  for (ModelState& model : state.models) {
    if (model.request.path == before.toStdString()) model.request.path = after.toStdString();
  }
  std::string& survey = state.analysis.of<SurveySettings>().file;
  if (survey == before.toStdString()) survey = after.toStdString();
}

/// Returns the content of a workspace file. Throws Error if it cannot be read, or is too large to
/// be a workspace.
QByteArray contentOf(const QString& path) {
  // A pipe would wait for its writer, and a device may be endless, regardless of the size it
  // reports.
  if (QFileInfo::exists(path) && !QFileInfo(path).isFile()) {
    throw FileError(path.toStdString(),
                    "is not a regular file; choose a workspace that Softscope saved");
  }
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    throw FileError(path.toStdString(), file.errorString().toStdString());
  }
  QByteArray content;
  if (file.size() <= mostBytes) content = file.read(mostBytes + 1);
  if (std::max(file.size(), qint64(content.size())) > mostBytes) {
    throw FileError(path.toStdString(), "is larger than " + std::to_string(mostBytes >> 20) +
                                            " MiB, so it is no workspace; choose a file that "
                                            "Softscope saved");
  }
  return content;
}

}  // namespace

WorkspaceFiles::WorkspaceFiles(QWidget& window, Workspace& workspace, WindowActions& actions,
                               WindowSettings& settings)
    : window_(window),
      workspace_(workspace),
      actions_(actions),
      settings_(settings),
      unsaved_(workspace) {
  writer_.setMaxThreadCount(1);
  connect(actions_.openWorkspace, &QAction::triggered, this, &WorkspaceFiles::openDialog);
  connect(actions_.saveWorkspace, &QAction::triggered, this, &WorkspaceFiles::save);
  connect(actions_.saveWorkspaceAs, &QAction::triggered, this, &WorkspaceFiles::saveDialog);
  connect(actions_.lastSession, &QAction::triggered, this, &WorkspaceFiles::openLastSession);
  connect(actions_.locateMissing, &QAction::triggered, this, &WorkspaceFiles::locateMissing);
  connect(actions_.forgetMissing, &QAction::triggered, this, [this] {
    workspace_.forgetUnopened();
    showUnopened();
    actions_.locateMissing->setEnabled(!missingPaths(workspace_.state()).empty());
  });
  connect(&workspace_.worker(), &Worker::busyChanged, this, &WorkspaceFiles::showUnopened);
  connect(actions_.goBack, &QAction::triggered, this, &WorkspaceFiles::goBack);
  // Closing a model takes with it what its user named and collected.
  connect(&workspace_.queue(), &ModelQueue::closing, this, [this](const OpenedModel& model) {
    const bool isMarked = !model.givenName.isEmpty() || !model.marks.collected.empty();
    if (isMarked && keepReplaced()) Q_EMIT replaced();
  });
  actions_.goBack->setEnabled(QFileInfo::exists(Autosave::replacedPath()));
  actions_.lastSession->setEnabled(QFileInfo::exists(Autosave::lastSessionPath()));
  fillRecentMenu();
}

void WorkspaceFiles::openDialog() {
  const QString path = QFileDialog::getOpenFileName(&window_, tr("Open a workspace"),
                                                    folderOf(settings_.recentWorkspaces),
                                                    tr("Workspaces (*.softscope);;All files (*)"));
  if (!path.isEmpty()) open(path);
}

std::optional<WorkspaceState> WorkspaceFiles::read(const QString& path) {
  try {
    return readWorkspace(contentOf(path), path);
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
    return std::nullopt;
  }
}

void WorkspaceFiles::open(const QString& path) {
  if (!mayReplace()) return;
  const std::optional<WorkspaceState> state = read(path);
  if (!state) return;
  const bool isReplaced = keepReplaced();
  restore(*state);
  setOwnPath(path, *state);
  if (isReplaced) Q_EMIT replaced();
}

void WorkspaceFiles::openLastSession() {
  if (!mayReplace()) return;
  const std::optional<WorkspaceState> state = read(Autosave::lastSessionPath());
  if (!state) return;
  const bool isReplaced = keepReplaced();
  restore(*state);
  // It is not one of the user's files.
  setPath({}, std::nullopt);
  if (isReplaced) Q_EMIT replaced();
}

bool WorkspaceFiles::keepReplaced() {
  WorkspaceState state = workspace_.state();
  if (!namesFiles(state) || (path_.isEmpty() && !bundled_.holdsWork(state))) return false;
  if (settings_.preferences.autosave > 0) {
    writer_.start([state, path = Autosave::replacedPath().toStdString()] {
      try {
        writeFileAtomically(path, workspaceText(state, {}).toStdString(), Durability::Soon);
      } catch (const Error&) {
        // With a full disk it is kept as long as the window.
      }
    });
  }
  if (replaced_.size() == mostReplaced) replaced_.erase(replaced_.begin());
  replaced_.push_back({std::move(state), path_, unsaved_.saved()});
  actions_.goBack->setEnabled(true);
  return true;
}

void WorkspaceFiles::goBack() {
  if (!mayReplace()) return;
  Replaced before;
  if (!replaced_.empty()) {
    before = std::move(replaced_.back());
    replaced_.pop_back();
  } else if (const std::optional<WorkspaceState> kept = read(Autosave::replacedPath())) {
    before.state = *kept;
  } else {
    return;
  }
  const bool isReplaced = keepReplaced();
  // Going back again and again leads through all that is kept.
  if (isReplaced) std::rotate(replaced_.begin(), replaced_.end() - 1, replaced_.end());
  restore(before.state);
  setPath(before.path, before.saved);
  if (isReplaced) Q_EMIT replaced();
}

void WorkspaceFiles::restore(const WorkspaceState& state) {
  workspace_.restore(state, missingPaths(state));
  if (!state.notUnderstood.isEmpty()) {
    Q_EMIT failed(
        tr("This Softscope does not understand all of the workspace, and the usual values "
           "took the place of: %1. A later one may open it as it was saved.")
            .arg(state.notUnderstood.join(QStringLiteral("; "))));
  }
  showUnopened();
  tellMissing();
}

void WorkspaceFiles::showUnopened() {
  actions_.forgetMissing->setEnabled(workspace_.hasUnopened());
}

void WorkspaceFiles::tellMissing() {
  const std::vector<QString> missing = missingPaths(workspace_.state());
  // After dismissing the message, the user can still look for the files.
  actions_.locateMissing->setEnabled(!missing.empty());
  if (missing.empty()) return;
  QStringList names;
  QStringList paths;
  for (const QString& path : missing) {
    names += QFileInfo(path).fileName();
    paths += path;
  }
  Q_EMIT filesMissing(tr("Not where they were when this workspace was saved: %1. The rest is open, "
                         "and these stay in the workspace.")
                          .arg(names.join(QStringLiteral(", "))),
                      paths.join(u'\n'));
}

void WorkspaceFiles::locateMissing() {
  WorkspaceState found = workspace_.state();
  std::vector<std::pair<QString, QString>> moves;
  const auto move = [&](const QString& before, const QString& after) {
    replacePath(found, before, after);
    moves.emplace_back(before, after);
  };
  for (const QString& path : missingPaths(found)) {
    // Skip files that were found beside an earlier one.
    const std::vector<QString> still = missingPaths(found);
    if (std::find(still.begin(), still.end(), path) == still.end()) continue;
    const QString name = QFileInfo(path).fileName();
    const QString place = QFileDialog::getOpenFileName(
        &window_, tr("Where is %1?").arg(inTitle(name)), QString(),
        tr("%1 (*.%2);;All files (*)").arg(name, QFileInfo(path).suffix()));
    if (place.isEmpty()) continue;
    move(path, place);
    const QDir folder = QFileInfo(place).dir();
    for (const QString& other : missingPaths(found)) {
      const QString beside = folder.filePath(QFileInfo(other).fileName());
      if (QFileInfo::exists(beside)) move(other, beside);
    }
  }
  if (moves.empty()) return;
  // Models may have come while the questions were asked.
  WorkspaceState now = workspace_.state();
  for (const auto& [before, after] : moves) replacePath(now, before, after);
  restore(now);
}

void WorkspaceFiles::save() {
  if (path_.isEmpty()) {
    saveDialog();
  } else {
    saveAs(path_);
  }
}

void WorkspaceFiles::saveDialog() {
  QFileDialog dialog(&window_, tr("Save the workspace"), folderOf(settings_.recentWorkspaces),
                     tr("Workspaces (*.softscope)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  // The suffix is added before the dialog asks whether a file may be replaced.
  dialog.setDefaultSuffix(QStringLiteral("softscope"));
  dialog.selectFile(path_.isEmpty() ? QStringLiteral("workspace.softscope") : path_);
  if (dialog.exec() == QDialog::Accepted) saveAs(dialog.selectedFiles().front());
}

void WorkspaceFiles::saveAs(const QString& path) {
  try {
    const QString folder = QFileInfo(path).absolutePath();
    refuseOpenFile(workspace_, path.toStdString());
    const WorkspaceState state = workspace_.state();
    writeFileAtomically(path.toStdString(), workspaceText(state, folder).toStdString());
    setOwnPath(path, state);
    Q_EMIT said(tr("Saved %1").arg(path) + missingText());
  } catch (const Error& error) {
    Q_EMIT failed(QString::fromUtf8(error.what()));
  }
}

bool WorkspaceFiles::mayLeave() {
  return askToSave(
      tr("Changes that are not saved stay in File > Open last session until another window "
         "closes."));
}

bool WorkspaceFiles::mayReplace() {
  return askToSave(
      tr("Changes that are not saved stay in File > Go back to what was open until this window "
         "closes."));
}

bool WorkspaceFiles::askToSave(const QString& otherwise) {
  unsaved_.compare();
  if (!unsaved_.exist()) return true;
  QMessageBox question(QMessageBox::Question, tr("Save the workspace?"),
                       tr("%1 differs from its file.").arg(inTitle(QFileInfo(path_).fileName())),
                       QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
  question.setTextFormat(Qt::PlainText);
  question.setInformativeText(otherwise);
  question.setDefaultButton(QMessageBox::Save);
  const int answer = question.exec();
  if (answer == QMessageBox::Save) save();
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !unsaved_.exist());
}

QString WorkspaceFiles::missingText() const {
  QStringList names;
  for (const QString& path : missingPaths(workspace_.state())) names += QFileInfo(path).fileName();
  if (names.isEmpty()) return {};
  return tr("; these files are gone, so that the workspace cannot open them: %1")
      .arg(names.join(u", "));
}

void WorkspaceFiles::setPath(const QString& path, const std::optional<WorkspaceState>& saved) {
  path_ = path;
  // The title has the place for the mark of unsaved changes before it is marked.
  Q_EMIT pathChanged();
  unsaved_.setSaved(saved);
}

void WorkspaceFiles::setOwnPath(const QString& path, const WorkspaceState& saved) {
  const QString file = QFileInfo(path).absoluteFilePath();
  rememberPath(settings_.recentWorkspaces, file);
  fillRecentMenu();
  setPath(file, saved);
}

void WorkspaceFiles::fillRecentMenu() {
  softscope::fillRecentMenu(*actions_.recentWorkspaces, settings_.recentWorkspaces,
                            [this](const QString& path) { open(path); });
}

}  // namespace softscope
