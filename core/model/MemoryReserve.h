#pragma once

namespace softscope {

/// Sees to it, from the first call on, that computing on the CPU ends in an error where memory is
/// short. LibTorch's own blocks do; but the libraries beneath it (oneDNN's machine code, OpenBLAS's
/// buffers) crash or wait for ever where they find none, so a block that would leave too little for
/// them is refused as if there were no room for it. So is a large block that the system would
/// promise though the machine has less left, since it ends the program that fills it. Throws
/// MemoryError where there is too little already.
void keepMemoryReserve();

}  // namespace softscope
