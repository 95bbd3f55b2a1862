#include "base/check.h"

#include <cstdlib>

#include "base/log.h"

namespace gateleg {

void check_failed(const char* file, int line, const char* condition) {
    log_error("invariant broken", {{"file", file}, {"line", line}, {"condition", condition}});
    std::abort();
}

}  // namespace gateleg
