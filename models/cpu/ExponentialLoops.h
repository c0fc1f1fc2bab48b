#pragma once

#include <cstdint>

namespace softscope {

// Arithmetic with exponentials on plain arrays. Only its file is compiled so that the compiler may
// call the C library's vectorised exponential, and for several instruction sets, of which the
// processor's best is used.

/// values[i] = exp(values[i] - common - own[i]).
void exponentials(float* values, float common, const float* own, std::int64_t count);

/// result[i] = exp(x[i] - shift) + added, for x[i] - shift up to 87; below -87, exp(-87) is used.
void raisedExponentials(const float* x, float shift, float added, float* result,
                        std::int64_t count);

/// result[i] = gradient[i] (raised[i] - added), the gradient of x from the result of
/// raisedExponentials(); returns the sum.
float raisedExponentialGradients(const float* raised, float added, const float* gradient,
                                 float* result, std::int64_t count);

/// result[i] = gelu(x[i]). `result` may be `x`.
void tanhGeluValues(const float* x, float* result, std::int64_t count);

/// result[i] = gradient[i] gelu'(x[i]).
void tanhGeluGradients(const float* x, const float* gradient, float* result, std::int64_t count);

}  // namespace softscope
