#pragma once

#include "core/attention/ShownMap.h"
#include "core/inspect/Inspection.h"
#include "core/model/ModelSummary.h"
#include "core/query/AttentionValues.h"
#include "core/query/HeadLikeness.h"
#include "core/query/QueryToken.h"

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <string>
#include <vector>

class QFontMetricsF;

namespace softscope {

/// Returns `head 3`, counted from 0 as in code, files and on the command line, or `mean`.
QString headText(int head);

/// Returns shortLayerName() of a name in Qt's form.
QString shortLayerName(const QString& name);

/// Returns the short names of a model's layers, or whole ones if two short ones are the same. Pages
/// call layers by these, and commands, tables and captions of figures by whole ones.
QStringList shortLayerNames(const QStringList& names);

/// Returns the name of one layer among the short names of all of its model's.
QString shortLayerName(const Inspection& inspection, const std::string& name);

/// Returns the note beside a panel's title: how many values are not finite, if any; that its head
/// answers every query alike, if the likeness of all heads is known; how far its weights are from
/// uniform ones (proportionText()); the class token's weight; or what the values are if they are
/// not the picture's patches at the queries' resolution. Empty if none of these applies.
QString panelNote(const AttentionDescription& attention, const AttentionValues& values,
                  Direction direction, const std::vector<HeadLikeness>* likeness = nullptr);

/// Returns the leading parts of a note that fit into `width`. If even the first is too wide it is
/// abbreviated, and then elided unless less than two thirds of it would remain or a number would be
/// lost; in that case nothing is returned. Captions state what must not be lost (captionCaveats()).
QString fittingNote(const QString& note, double width, const QFontMetricsF& metrics);

/// Returns `attention`, `convolution`, `effective map (attention + convolution)`, `exact kernel
/// that landmarks stand for` or `attention × gradient of a class`.
QString mapText(ShownMap map);

/// Returns mapText(map) for a layer, with the name of its class: `attention × gradient of tabby`.
QString mapText(const LayerInspection& layer, ShownMap map);

/// Returns `soft · 2 heads · 40 × 40 patches · 49 landmarks`; `note` follows the mechanism in
/// brackets, without its landmarks in a layer that has none, and after a comma the map shown if it
/// is not the attention.
QString layerText(const LayerInspection& layer, const QString& note, ShownMap map);

/// Returns layerText() of a layer with this description; `map` names the map shown, and is empty
/// for the attention.
QString layerText(const AttentionDescription& attention, const QString& note = {},
                  const QString& map = {});

/// Returns what a matrix's rows (for Direction::Columns, its columns) are: `queries: class token,
/// 14 × 14 patches`, `channels of K`.
QString sideText(const AttentionDescription& attention, Direction direction);

/// Returns the question that a panel answers: `what patch (12, 7) attends to`, `who attends to
/// patch (12, 7)`; for maps other than attention `what patch (12, 7) takes in`, `who takes in patch
/// (12, 7)`; for an exact kernel `what patch (12, 7) is like`, `what is like patch (12, 7)`; for a
/// product with a gradient `what in the attention of patch (12, 7) speaks for the class`, `whose
/// attention to patch (12, 7) speaks for the class`.
QString questionText(const AttentionDescription& attention, Direction direction, int token,
                     ShownMap map = ShownMap::Attention);

/// Returns the class's name, or `class 281` if it has no name.
QString className(const ModelSummary& summary, int classIndex);

/// Returns the probability of a prediction, `87.3 %`, or `logit 0.157` if the network has but one
/// class.
QString confidenceText(const Prediction& prediction);

/// Returns a class with its confidenceText(), e.g. `tabby 87.3 %`.
QString predictionText(const ModelSummary& summary, const Prediction& prediction);

/// Converts a query to fractions of the part of the picture that the network saw.
QPointF placeInRegion(const PictureExtent& extent, const PictureQuery& query);

}  // namespace softscope
