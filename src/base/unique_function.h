// A callable that is moved, not copied: std::function without its copy requirement.

#pragma once

#include <memory>
#include <utility>

namespace gateleg {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
public:
    UniqueFunction() = default;
    template <class F>
    requires(!std::is_same_v<std::decay_t<F>, UniqueFunction>)
        UniqueFunction(F&& function)  // NOLINT: implicit, as std::function is
        : callable_(std::make_unique<Model<std::decay_t<F>>>(std::forward<F>(function))) {}

    explicit operator bool() const noexcept { return callable_ != nullptr; }
    R operator()(Args... args) { return callable_->call(std::forward<Args>(args)...); }

private:
    struct Concept {
        virtual ~Concept() = default;
        virtual R call(Args... args) = 0;
    };
    template <class F>
    struct Model final : Concept {
        explicit Model(F&& f) : function(std::move(f)) {}
        explicit Model(const F& f) : function(f) {}
        R call(Args... args) override { return function(std::forward<Args>(args)...); }
        F function;
    };
    std::unique_ptr<Concept> callable_;
};

}  // namespace gateleg
