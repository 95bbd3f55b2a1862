// Result<T>: a T or the Error that took its place.
//
// Member names follow std::expected, which libstdc++ 12 offers only from -std=c++23.

#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"

namespace gateleg {

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    const T& operator*() const& { return *checked_value(); }
    T& operator*() & { return const_cast<T&>(*checked_value()); }
    T&& operator*() && { return std::move(const_cast<T&>(*checked_value())); }
    const T* operator->() const { return checked_value(); }

    const Error& error() const& { return *checked_error(); }
    Error&& error() && { return std::move(const_cast<Error&>(*checked_error())); }

private:
    const T* checked_value() const {
        assert(has_value());
        return std::get_if<0>(&state_);
    }
    const Error* checked_error() const {
        assert(!has_value());
        return std::get_if<1>(&state_);
    }

    std::variant<T, Error> state_;
};

// A step with nothing to give back: `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

    bool has_value() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return has_value(); }
    const Error& error() const& { return *error_; }
    Error&& error() && { return *std::move(error_); }

private:
    std::optional<Error> error_;
};

}  // namespace gateleg

#define GATELEG_CONCAT_INNER(a, b) a##b
#define GATELEG_CONCAT(a, b) GATELEG_CONCAT_INNER(a, b)

// GATELEG_TRY(expr): returns the error of `expr` from this function, if it has one.
#define GATELEG_TRY(expr)                                      \
    if (auto gateleg_try_result = (expr); !gateleg_try_result) \
    return std::move(gateleg_try_result).error()

// GATELEG_TRY_ASSIGN(auto key, expr): the same, and otherwise binds the value. The CO form is for
// coroutines.
#define GATELEG_TRY_ASSIGN(declaration, expr) \
    GATELEG_TRY_ASSIGN_IMPL(return, GATELEG_CONCAT(gateleg_try_, __LINE__), declaration, expr)
#define GATELEG_CO_TRY_ASSIGN(declaration, expr) \
    GATELEG_TRY_ASSIGN_IMPL(co_return, GATELEG_CONCAT(gateleg_try_, __LINE__), declaration, expr)
#define GATELEG_TRY_ASSIGN_IMPL(leave, temporary, declaration, expr) \
    auto temporary = (expr);                                         \
    if (!temporary)                                                  \
        leave std::move(temporary).error();                          \
    declaration = *std::move(temporary)
