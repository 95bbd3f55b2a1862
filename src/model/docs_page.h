// The page at /docs: every route of the loaded models, as plain HTML without a script.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/schema.h"

namespace gateleg::model {

std::string render_docs_page(const std::vector<const Model*>& models);
// What the page links to as /docs/docs.css.
std::string_view docs_css();

}  // namespace gateleg::model
