#include "jobs/deliveries.h"

#include <algorithm>
#include <array>

namespace gateleg::jobs {
namespace {

using value::AttributeValue;

template <class Function>
Function find_in(
    const std::map<std::pair<std::string, std::string>, Function>& all,
    std::string_view system,
    std::string_view kind
) {
    for (const auto owner : {system, std::string_view()}) {
        const auto found = all.find({std::string(owner), std::string(kind)});
        if (found != all.end()) {
            return found->second;
        }
    }
    return {};
}

bool is_secret(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        if (c != '_' && c != '-') {
            plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    constexpr std::array<std::string_view, 6> kParts = {
        "token", "secret", "password", "apikey", "authorization", "signature"};
    return plain == "code" || plain == "link" ||
           std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
               return plain.find(part) != std::string::npos;
           });
}

}  // namespace

const AttributeValue* Parcel::find(std::string_view name) const {
    const auto* map = std::get_if<value::Map>(&row.payload.data);
    const auto found = map != nullptr ? map->find(name) : value::Map::const_iterator();
    return map != nullptr && found != map->end() && found->second.type() != value::Type::kNull
               ? &found->second
               : nullptr;
}

std::string Parcel::text(std::string_view name) const {
    const auto* value = find(name);
    if (value == nullptr) {
        return {};
    }
    if (const auto* number = std::get_if<value::Number>(&value->data)) {
        return number->to_text();
    }
    const auto* text = std::get_if<std::string>(&value->data);
    return text != nullptr ? *text : std::string();
}

void Deliveries::deliver(std::string_view system, std::string_view kind, Deliver deliver) {
    deliveries_[{std::string(system), std::string(kind)}] = std::move(deliver);
}

void Deliveries::deliver_others(std::function<Deliver(std::string_view)> find) {
    others_ = std::move(find);
}

void Deliveries::after(std::string_view system, std::string_view kind, Hook hook) {
    hooks_[{std::string(system), std::string(kind)}] = std::move(hook);
}

void Deliveries::after_failure(std::string_view system, std::string_view kind, Hook hook) {
    failure_hooks_[{std::string(system), std::string(kind)}] = std::move(hook);
}

void Deliveries::before(std::string_view system, std::string_view kind, Hook hook) {
    before_[{std::string(system), std::string(kind)}] = std::move(hook);
}

void Deliveries::never_give_up(std::string_view kind) {
    stubborn_[std::string(kind)] = true;
}

Deliver Deliveries::find_delivery(std::string_view system, std::string_view kind) const {
    auto found = find_in(deliveries_, system, kind);
    return found || !others_ ? found : others_(kind);
}

Hook Deliveries::find_before(std::string_view system, std::string_view kind) const {
    return find_in(before_, system, kind);
}

Hook Deliveries::find_hook(std::string_view system, std::string_view kind) const {
    return find_in(hooks_, system, kind);
}

Hook Deliveries::find_failure_hook(std::string_view system, std::string_view kind) const {
    return find_in(failure_hooks_, system, kind);
}

bool Deliveries::gives_up(std::string_view kind) const {
    return stubborn_.find(kind) == stubborn_.end();
}

Error refusal(std::string message) {
    return {ErrorCode::kValidation, std::move(message), std::make_shared<Refusal>()};
}

bool is_refusal(const Error& error) {
    return dynamic_cast<const Refusal*>(error.detail.get()) != nullptr;
}

AttributeValue without_secrets(const AttributeValue& tree) {
    if (const auto* map = std::get_if<value::Map>(&tree.data)) {
        value::Map kept;
        for (const auto& [name, member] : *map) {
            if (!is_secret(name)) {
                kept[name] = without_secrets(member);
            }
        }
        return {std::move(kept)};
    }
    if (const auto* list = std::get_if<value::List>(&tree.data)) {
        value::List kept;
        for (const auto& element : *list) {
            kept.push_back(without_secrets(element));
        }
        return {std::move(kept)};
    }
    return tree;
}

}  // namespace gateleg::jobs
