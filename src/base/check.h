// GATELEG_CHECK: a broken invariant of our own ends the process. Never used on client input.

#pragma once

#include <string_view>

namespace gateleg {

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace gateleg

#define GATELEG_CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::gateleg::check_failed(__FILE__, __LINE__, #condition))
