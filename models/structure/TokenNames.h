#pragma once

#include "models/structure/TensorUnits.h"

#include <string>

namespace softscope {

/// Returns true if a name is that of positions: `pos_embed`, `wpe`, `pe`.
bool saysPosition(const TensorUnit& unit);

/// Returns true if a tensor's name is one that people give to tables of positions.
bool isCalledPositions(const std::string& tensor);

/// Returns true if a name calls tokens registers, memory or prompts.
bool saysRegister(const TensorUnit& unit);

bool saysClass(const TensorUnit& unit);

/// Returns true for the usual names of a class token, which others may have in longer ones:
/// `cls_token` beside `dist_cls_token`.
bool isCalledClassToken(const TensorUnit& unit);

/// Returns true if a name says that a vector or table is of tokens in the sequence. What is called
/// `dist` is of the token of a distillation, unless it is square, as a table of distances is.
bool saysToken(const TensorUnit& unit);

/// Returns true if a name says that a token stands for an input that is missing, hidden or made up,
/// as training or guidance needs it: `null_token`, `pad_token`, `drop_token`.
bool saysMissing(const TensorUnit& unit);

/// Returns true for the names of vit-pytorch's tokens behind the patches.
bool isCalledByVitPytorch(const std::string& tensor);

/// Returns true if a name says what kind of input tokens are, or from where: that is a vector which
/// networks add to all of them, and only some put in front. The token of a task, a camera or a time
/// is put in front, as its name says.
bool saysKind(const TensorUnit& unit);

/// Returns true if a name calls a vector an embedding, and no class token, register or the like.
bool saysEmbedding(const TensorUnit& unit);

/// Returns true if a name says that a vector or table is neither of tokens nor of all positions: a
/// part of a norm, the query of a pool, centres of classes, a queue, positions of rows alone, what
/// is added to all tokens, to scores or to products.
bool saysNoToken(const TensorUnit& unit);

}  // namespace softscope
