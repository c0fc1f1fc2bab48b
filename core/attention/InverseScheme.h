#pragma once

namespace softscope {

/// Schemes that iterate towards the inverse of a bottleneck matrix A. Theorem 1 and SOFT's practice
/// are from "SOFT: Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945.
enum class InverseScheme {
  Soft,          ///< SOFT's code: on B = A + 0.01 I, from a B with a = 1.8 / (largest row sum)^2
  SoftNorm,      ///< SOFT++'s code: on A, a = 2 / (largest row sum of all heads)^2, halved at most
                 ///< 10 times until |I - a A A|_1 <= 1.01 in every head
  Theorem,       ///< SOFT's Theorem 1: on A, a = 2 / |A|_1^2
  Backtracking,  ///< SOFT's practice as the code has it: a = 2 b^n / |A|_1^2, b = 1/2, smallest n
                 ///< with |I - a A A|_1 <= 1
  PrintedBacktracking,  ///< SOFT's practice as the paper prints it, with one A: |I - a A|_1 <= 1
  Nystromformer,        ///< cubic, on A, from A^T / (|A|_1 |A|_inf)
};

}  // namespace softscope
