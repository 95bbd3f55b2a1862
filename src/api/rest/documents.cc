#include "api/rest/documents.h"

#include "api/rest/pattern_list.h"
#include "api/rest/problem.h"
#include "api/rest/query_string.h"
#include "model/access.h"
#include "model/docs_page.h"
#include "model/openapi.h"

namespace gateleg::api::rest {
namespace {

constexpr std::string_view kJson = "application/json";
// Combinations of roles whose documents are kept; further ones are made each time.
constexpr std::size_t kMaxKept = 64;

Document make_document(std::string_view content_type, std::string body) {
    return {content_type, std::make_shared<const std::string>(std::move(body))};
}

void add_roles(const model::Model& model, std::set<std::string, std::less<>>& roles) {
    auto endpoints = model::endpoints_of(model);
    for (auto& endpoint : model::pattern_endpoints_of(model)) {
        endpoints.push_back(std::move(endpoint));
    }
    for (const auto& endpoint : endpoints) {
        const auto& access = endpoint.access();
        roles.insert(access.roles.begin(), access.roles.end());
    }
}

}  // namespace

Document Documents::Page::get() {
    std::call_once(once, [this] { body = std::make_shared<const std::string>(render()); });
    return {content_type, body};
}

Documents::Documents(const std::vector<model::Runtime*>& systems) {
    Models models;
    for (const auto* runtime : systems) {
        const auto& model = runtime->model();
        models.push_back(&model);
        add_roles(model, roles_);
        const auto base = model::base_path(model);
        const auto page =
            std::make_shared<Page>(kJson, [&model] { return model::render_openapi({&model}); });
        for (const auto& path : {base + "/openapi.json", "/openapi.json?system=" + model.name}) {
            fixed_[path] = page;
            described_[path] = {&model};
        }
        fixed_[base + "/patterns"] =
            std::make_shared<Page>(kJson, [&model] { return render_pattern_list(model); });
    }
    fixed_["/openapi.json"] =
        std::make_shared<Page>(kJson, [models] { return model::render_openapi(models); });
    described_["/openapi.json"] = models;
    fixed_["/docs"] = std::make_shared<Page>("text/html; charset=utf-8", [models] {
        return model::render_docs_page(models);
    });
    fixed_["/docs/docs.css"] = std::make_shared<Page>("text/css; charset=utf-8", [] {
        return std::string(model::docs_css());
    });
}

model::CallResult<std::optional<Document>> Documents::find(
    const http::RequestHead& head, const ReaderIn& reader_in
) {
    auto path = std::string(head.path() == "/docs/" ? "/docs" : head.path());
    const auto found = fixed_.find(path);
    if (found == fixed_.end()) {
        return std::optional<Document>();
    }
    if (!described_.contains(path)) {
        return std::optional(found->second->get());
    }
    const auto query = parse_query(head.query());
    if (!query) {
        return query.error();
    }
    if (const auto system = query->find("system");
        system != query->end() && path == "/openapi.json") {
        path += "?system=" + system->second;
    }
    const auto described = described_.find(path);
    if (described == described_.end()) {
        return not_found();
    }
    const auto asked = query->find("mine");
    const bool is_mine = asked != query->end() && (asked->second == "1" || asked->second == "true");
    return std::optional(
        is_mine ? mine(path, described->second, reader_in) : fixed_.find(path)->second->get()
    );
}

Document Documents::mine(const std::string& path, const Models& models, const ReaderIn& reader_in) {
    std::map<const model::Model*, model::Caller> readers;
    auto key = path;
    for (const auto* model : models) {
        const auto& reader = readers[model] = reader_in(model->name);
        key += reader.user ? "\n+" : "\n-";
        for (const auto& role : reader.roles) {
            key += roles_.contains(role) ? " " + role : "";
        }
    }
    {
        const std::lock_guard lock(mutex_);
        if (const auto kept = mine_.find(key); kept != mine_.end()) {
            return kept->second;
        }
    }
    auto document = make_document(
        kJson,
        model::render_openapi(
            models,
            [&](const model::Model& model, const model::Endpoint& endpoint) {
                return !model::find_denial(endpoint.access(), readers.at(&model));
            }
        )
    );
    const std::lock_guard lock(mutex_);
    if (mine_.size() < kMaxKept) {
        mine_.emplace(std::move(key), document);
    }
    return document;
}

}  // namespace gateleg::api::rest
