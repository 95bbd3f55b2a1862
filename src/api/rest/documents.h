// What is served beside the routes of models: OpenAPI, the lists of access patterns, /docs.
//
// An OpenAPI document is the whole one, or with ?mine=1 what its reader may call.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request.h"
#include "model/runtime.h"

namespace gateleg::api::rest {

struct Document {
    std::string_view content_type;
    std::shared_ptr<const std::string> body;
};

// Who reads: a session has roles in each system, so they are asked for by its name.
using ReaderIn = std::function<model::Caller(std::string_view system)>;

// Thread-safe. The models outlive it.
class Documents {
public:
    explicit Documents(const std::vector<model::Runtime*>& systems);

    // Nothing if the path names no document.
    model::CallResult<std::optional<Document>> find(
        const http::RequestHead& head, const ReaderIn& reader_in
    );

private:
    using Models = std::vector<const model::Model*>;

    // Made when it is first asked for: a start need not wait for what nobody may read.
    struct Page {
        std::string_view content_type;
        std::function<std::string()> render;
        std::once_flag once = {};
        std::shared_ptr<const std::string> body = {};

        Page(std::string_view type, std::function<std::string()> how)
            : content_type(type), render(std::move(how)) {}
        Document get();
    };

    Document mine(const std::string& path, const Models& models, const ReaderIn& reader_in);

    std::map<std::string, std::shared_ptr<Page>, std::less<>> fixed_;
    // Of which models the OpenAPI document at a path is.
    std::map<std::string, Models, std::less<>> described_;
    // Roles that some endpoint asks for: others make no difference to a document.
    std::set<std::string, std::less<>> roles_;
    std::mutex mutex_;
    std::map<std::string, Document, std::less<>> mine_;
};

}  // namespace gateleg::api::rest
