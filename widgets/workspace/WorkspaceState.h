#pragma once

#include "core/analysis/registry/AnalysisSettings.h"
#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "widgets/query/QueryHistory.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/ViewSettings.h"
#include "widgets/workspace/ModelMarks.h"

#include <QtCore/QByteArray>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <string>
#include <vector>

namespace softscope {

/// One of a workspace's models, identified by its file.
struct ModelState {
  ModelRequest request;
  InputSize inputSize;
  std::string layer;
  /// Fingerprint of the file when it was saved; empty if not known.
  QString fingerprint;
  /// The name its user gave it; if empty, it is named after its file.
  QString givenName = {};
  ModelMarks marks = {};
};

/// Everything that is needed to restore a workspace: plain values, and models and picture by their
/// files.
struct WorkspaceState {
  /// Empty if there is no picture or if it is not a file.
  QString picturePath;
  /// Fingerprint of the picture's file when it was read; empty if not known.
  QString pictureFingerprint = {};
  /// The picture's bytes and name, if it was pasted and is not a file.
  QByteArray pictureBytes;
  QString pictureName;
  /// How the picture is read, be it a file or pasted.
  PictureReading pictureReading;
  std::vector<ModelState> models;
  /// Index of the model that panels show.
  int current = 0;
  Queries queries;
  Direction direction = Direction::Rows;
  ViewSettings view;
  /// The map that is shown.
  MapSettings map;
  ChannelSettings channel;
  OverHeads overHeads;
  /// The head that is shown alone; empty for all heads.
  std::optional<int> onlyHead;
  Comparison comparison;
  AnalysisSettings analysis;
  /// The part of the picture that panels show, in fractions of what a network saw.
  QRectF visible{0, 0, 1, 1};
  /// The name of the page that is in front.
  QString page;
  /// The notUnderstoodIn() the file that it was read from.
  QStringList notUnderstood = {};
};

/// Returns the text of a `.softscope` file, in JSON. Paths below `folder` are also written relative
/// to it, so that the folder can be moved as a whole.
QByteArray workspaceText(const WorkspaceState& state, const QString& folder);

/// Reads a workspace's text. A path that does not exist is taken relative to `folder` if a file
/// exists there. Throws FileError, naming `path`, if the text is not a workspace or is of a later
/// version.
WorkspaceState readWorkspace(const QByteArray& text, const QString& path);

/// True if the state has something to open: a picture, a model or a survey.
bool namesFiles(const WorkspaceState& state);

}  // namespace softscope
