#pragma once

#include "core/array/Npz.h"
#include "core/array/Table.h"
#include "core/query/PictureQuery.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/query/PictureMark.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QPoint>
#include <QtWidgets/QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A page's figure: its drawing, the numbers behind it, and the command line that writes both.
struct PageFigure {
  /// Name of the figure's file, without its extension.
  QString name;
  PrintableFigure drawing;
  /// The models in the figure, as indices into OpenModels::all().
  std::vector<std::size_t> models;
  /// Returns the command that writes the same file, given a source that names those models.
  std::function<std::string(const FigureSource&, const FigureSettings&, const std::string& output)>
      command;
  /// Says in what the command's figure differs from this one; empty if it does not.
  QString commandNote = {};
  /// Return the numbers behind the figure; only one is set: a table, saved as .csv, or arrays,
  /// saved as .npz.
  std::function<Table()> table;
  std::function<NamedArrays()> arrays;
  /// Returns what users of the arrays must know apart from their values, one line each; may be
  /// empty.
  std::function<std::vector<std::string>()> caveats;
};

/// Makes a page's figure, whose file is named `name` as far as files can be; `command` holds its
/// kind and the options specific to it.
PageFigure pageFigure(const QString& name, PrintableFigure drawing,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command);

PageFigure pageFigure(const QString& name, PanelFigure figure,
                      const std::vector<std::size_t>& models, const AnalysisCommand& command);

class ClassChoice;
class Workspace;

/// The panel for which the user asked for a menu.
struct PanelUnderPointer {
  QPoint globalPlace;
  /// The panel's title, e.g. `head 3`.
  QString title;
  /// The number under the pointer, as text to be copied; empty if there is none.
  QString value;
  /// The place on the picture; empty if there is none.
  std::optional<PictureQuery> place;
  /// Number of the head that can be shown alone, or -1.
  int head = -1;
  /// A figure of this panel alone; null if it shows nothing.
  std::shared_ptr<const PanelFigure> figure;
};

/// One of the window's pages: a way of looking at the contents of the workspace.
class Page : public QWidget {
  Q_OBJECT

 public:
  explicit Page(Workspace& workspace, QWidget* parent = nullptr);

  /// True if there is something to show; otherwise the window says what is missing. By default this
  /// requires a model that has seen a picture.
  virtual bool isReady() const;
  /// Draws the present contents of the workspace. Called only while the page is in front.
  virtual void showNow() = 0;
  /// Drops the copy of the picture as models saw it, because the picture or an inspection has
  /// changed.
  virtual void takePicture() {}
  /// Drops what the page has drawn and computed for models and pictures that have been closed,
  /// because it would keep them alive. Called only while the page is not in front.
  virtual void releaseResults() {}
  /// Gives the keyboard focus to the maps or the list that the arrow keys act on. A page that has
  /// neither takes the focus itself, and the arrow keys then move the query from patch to patch.
  void takeKeys();
  /// Undoes all zooming on the page, except that of the picture, which the window handles.
  virtual void showWhole() {}
  /// Returns what of the view, which is chosen for all pages, the maps of this page follow; empty
  /// if the page draws no maps.
  virtual std::optional<FollowedView> followedView() const { return std::nullopt; }
  /// True if a click on the page's maps asks the patch there.
  virtual bool asksOnClick() const { return followedView().has_value(); }
  /// True if the page shows something that can be printed.
  virtual bool hasFigure() const { return false; }
  /// Returns what can be printed; empty if there is nothing.
  virtual std::optional<PageFigure> figure() const { return std::nullopt; }

 Q_SIGNALS:
  /// Describes what is under the pointer; empty for nothing.
  void readOut(const QString& text);
  /// Marks the places on the picture that the item under the pointer is about; empty when the
  /// pointer leaves.
  void pointedAt(const std::vector<softscope::PictureMark>& marks);
  void panelMenuWanted(const softscope::PanelUnderPointer& under);
  /// followedView() has changed, although nothing in the workspace has.
  void followedViewChanged();

 protected:
  /// Returns the visible widget that takeKeys() gives the keyboard to, or null. By default, the
  /// first grid of panels or table of heads.
  virtual QWidget* keyTaker();
  /// Lets the workspace differentiate the class that is chosen there.
  void connectClasses(ClassChoice& classes);
  /// Shows which class's gradient is shown; hides the choice for other maps.
  void showClasses(ClassChoice& classes) const;
  void focusInEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

  Workspace& workspace_;
};

}  // namespace softscope
