#pragma once

#include "core/Progress.h"
#include "core/attention/MatrixStack.h"

#include <Eigen/Core>

namespace softscope {

/// Returns R of the thin QR form X = Q R in float64, [min(rows, columns), columns]. X is read in
/// strips of rows, each reduced together with the R so far, so that neither X nor Q is ever held in
/// float64. Unlike the root of a Gram matrix, R is as accurate in X's small directions as in its
/// large ones.
Eigen::MatrixXd triangularFactor(const MatrixStack::View& matrix, const Progress& progress = {});

/// Returns R of the thin QR form of X after subtracting `offset` [columns] from every row, computed
/// in strips as well.
Eigen::MatrixXd triangularFactor(const MatrixStack::View& matrix, const Eigen::RowVectorXd& offset,
                                 const Progress& progress = {});

}  // namespace softscope
