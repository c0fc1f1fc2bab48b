#pragma once

#include "core/Progress.h"
#include "core/image/Picture.h"
#include "core/inspect/LayerMap.h"
#include "core/model/InputTransform.h"
#include "core/query/AttentionValues.h"
#include "core/query/PictureQuery.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A model on an interactive page.
struct PageModel {
  std::string name;
  /// Appended to the mechanism in captions; may be empty.
  std::string mechanismNote;
  /// The part of the picture that the network saw.
  PictureRegion region;
  std::vector<LayerInspection> layers;
};

/// The content of an interactive page. Its reader changes the query, the direction, the layer, the
/// head and the view; these are what it begins with.
struct PageSubject {
  std::shared_ptr<const Picture> picture;
  std::vector<PageModel> models;
  ShownMap map = ShownMap::Attention;
  PictureQuery query;
  Direction direction = Direction::Rows;
  /// A head, AttentionValues::meanOfHeads or AttentionValues::largestOfHeads.
  int head = 0;
  ViewSettings view;
  /// The command that writes the page; may be empty.
  std::string command;
};

struct InteractivePage {
  /// The text of the .html file.
  std::string text;
  /// The layers that are not on the page, each with its model and the reason; the page lists them,
  /// too.
  std::vector<std::string> leftOut;
};

/// Makes a page of layers whose maps it holds in the form in which they are computed (factors,
/// queries and keys, blocks), to the precision of float16, or to coarsePagePrecision if they would
/// not fit otherwise. A map without such a form is held as all its entries, to one of these
/// precisions, if they fit into what the others leave of interactiveLimit; otherwise its layer is
/// left out. Throws InteractiveSizeError if the layers do not fit, InspectionError if none remains,
/// and Cancelled.
InteractivePage interactivePage(const PageSubject& subject, const Progress& progress = {});

}  // namespace softscope
