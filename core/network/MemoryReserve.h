#pragma once

namespace softscope {

/// From the first call on, makes running out of memory on the CPU an error instead of a crash.
/// LibTorch's own allocations throw; but the libraries beneath it (oneDNN's machine code,
/// OpenBLAS's buffers) crash or wait forever if they cannot allocate, so a block that would leave
/// too little for them is refused as if there were no room for it. A large block that the system
/// would promise although the machine has less left is refused as well, because filling it would
/// end the program. Throws MemoryError if too little is left already.
void keepMemoryReserve();

}  // namespace softscope
