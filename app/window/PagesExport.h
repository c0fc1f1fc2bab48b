#pragma once

#include "app/window/settings/WindowSettings.h"
#include "widgets/figure/FigureFile.h"

#include <QtCore/QObject>
#include <QtCore/QSet>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtCore/QTimer>

#include <vector>

namespace softscope {

class FigureExport;
class WindowActions;
class Workspace;

/// Exports the figures of several pages, each into a file of its own in one folder, or all as the
/// pages of one PDF: turns to each page, waits until it has computed and measured, and takes its
/// figure.
class PagesExport : public QObject {
  Q_OBJECT

 public:
  PagesExport(QWidget& window, Workspace& workspace, WindowActions& actions, FigureExport& figures,
              WindowSettings& settings);

  /// Asks for pages, a folder and a format. The pages that were looked at are ticked.
  void openDialog();
  /// Writes the figures of the pages with these names, with names of their own: no file is
  /// replaced. `extension` is `.pdf`, `.svg` or `.png`; with `inOneFile`, all are pages of one PDF.
  void write(const QStringList& pages, const QString& folder, const QString& extension,
             bool inOneFile = false);
  bool isWriting() const { return isWriting_; }

 Q_SIGNALS:
  void said(const QString& message);
  void failed(const QString& message);
  /// Files were written into a folder.
  void written(const QString& folder);

 private:
  void writeNext();
  /// Returns true if that page is in front and has no figure yet, but a measurement that runs or
  /// waits.
  bool isMeasuring(const QString& page) const;
  /// Tells the user, once for each page, that the export waits for its measurement.
  void tellWaiting();
  /// Writes the page that is due, if it is in front; otherwise brings it there.
  void writeIfShown();
  void writeShown();
  void finish();
  void finishOneFile();
  /// Returns what follows a message if some pages had nothing to export.
  QString missingText() const;

  QWidget& window_;
  Workspace& workspace_;
  FigureExport& figures_;
  WindowSettings& settings_;
  QSet<QString> visited_;
  /// Pages that are still to be written.
  QStringList waiting_;
  /// Pages that had nothing to export, and those that could not be written, with the reasons.
  QStringList missing_;
  QStringList refused_;
  /// The page that tellWaiting() last told the user about.
  QString told_;
  /// Why the latest figure could not be written.
  QString why_;
  QString folder_;
  QString ending_;
  /// The figures of one PDF, until all are there.
  std::vector<PrintableFigure> pages_;
  bool inOneFile_ = false;
  /// The page that was in front before.
  QString before_;
  int files_ = 0;
  bool isWriting_ = false;
  QTimer ready_;
};

}  // namespace softscope
