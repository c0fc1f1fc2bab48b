#pragma once

#include <cstdint>

namespace softscope {

// Arithmetic with exponentials on plain arrays. Its file alone is compiled so that the compiler may
// call the C library's vectorised exponential, and for several instruction sets, of which the
// processor's best is taken.

/// values[i] = exp(values[i] - common - own[i]).
void exponentials(float* values, float common, const float* own, std::int64_t count);

/// result[i] = exp(x[i] - shift) + added, for an x[i] - shift up to 87; of less than -87 exp(-87).
void raisedExponentials(const float* x, float shift, float added, float* result,
                        std::int64_t count);

/// result[i] = gradient[i] (raised[i] - added), the gradient of x, with what raisedExponentials()
/// made of it; returns their sum.
float raisedExponentialGradients(const float* raised, float added, const float* gradient,
                                 float* result, std::int64_t count);

/// result[i] = gelu(x[i]). `result` may be `x`.
void tanhGeluValues(const float* x, float* result, std::int64_t count);

/// result[i] = gradient[i] gelu'(x[i]).
void tanhGeluGradients(const float* x, const float* gradient, float* result, std::int64_t count);

}  // namespace softscope
