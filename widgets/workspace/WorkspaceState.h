#pragma once

#include "core/analysis/registry/AnalysisSettings.h"
#include "core/model/InputSize.h"
#include "core/model/ModelRequest.h"
#include "widgets/query/QueryHistory.h"
#include "widgets/settings/Comparison.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/OverHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QByteArray>
#include <QtCore/QRectF>
#include <QtCore/QString>

#include <string>
#include <vector>

namespace softscope {

/// One of a workspace's models, by file.
struct ModelState {
  ModelRequest request;
  InputSize inputSize;
  std::string layer;
  /// Of the file when it was saved; empty if not known.
  QString fingerprint;
  /// What its user calls it; empty: by its file.
  QString givenName = {};
};

/// Everything a workspace needs to be as it was: plain values, models and picture by their files.
struct WorkspaceState {
  /// Empty where there is none, or where the picture is no file.
  QString picturePath;
  /// The picture's own bytes and name, where it was pasted and is no file.
  QByteArray pictureBytes;
  QString pictureName;
  /// How either is read.
  PictureReading pictureReading;
  std::vector<ModelState> models;
  /// Index of the model that panels show.
  int current = 0;
  Queries queries;
  Direction direction = Direction::Rows;
  ViewSettings view;
  /// Which of what multiplies V is shown.
  MapSettings map;
  OverHeads overHeads;
  /// The head that is shown alone.
  std::optional<int> onlyHead;
  Comparison comparison;
  AnalysisSettings analysis;
  /// The part of the picture that panels show, in fractions of what a network saw.
  QRectF visible{0, 0, 1, 1};
  /// Which of the window's pages is in front.
  QString page;
};

/// A `.softscope` file's text: JSON. Paths below `folder` are written relative to it too, so that a
/// folder may be moved as a whole.
QByteArray workspaceText(const WorkspaceState& state, const QString& folder);

/// Reads it back. A path that is not there is taken relative to `folder` if that exists. Throws
/// FileError, naming `path`, for what is no workspace or of a later version.
WorkspaceState readWorkspace(const QByteArray& text, const QString& path);

/// A number that changes when a file's content does: SHA-256 of its size and of up to 64 pieces
/// spread over it, so that large checkpoints take no time. Empty for a file that cannot be read.
QString fileFingerprint(const QString& path);

}  // namespace softscope
