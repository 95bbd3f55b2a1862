// Exceptions of the API that single operations raise, such as DuplicateItemException. Inside the
// server such an error counts as the kind of error it is; a client sees its name.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace gateleg::dynamo {

struct NamedError : ErrorDetail {
    explicit NamedError(std::string wire) : name(std::move(wire)) {}
    std::string name;  // "DuplicateItemException"
};

inline Error named_error(ErrorCode kind, std::string_view name, std::string message) {
    return {kind, std::move(message), std::make_shared<NamedError>(std::string(name))};
}

// The name that a client sees.
inline std::string_view name_of(const Error& error) {
    const auto* named = dynamic_cast<const NamedError*>(error.detail.get());
    return named != nullptr ? std::string_view(named->name) : wire_name(error.code);
}

}  // namespace gateleg::dynamo
