// What DynamoDB Local takes and says otherwise than AWS, where suites made for it rely on that:
// docs/adr/0034 has the list. Only --compat dynamodb-local comes here; AWS's words are made first,
// so that nothing else knows of these.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/handler.h"

namespace gateleg::api::dynamodb {

// The body of a CreateTable without the attribute definitions that DynamoDB Local overlooks, and
// with kBodyPadding bytes behind it. Nothing if there are none of these.
std::optional<std::string> without_overlooked_definitions(std::string_view body);

// Which actions of a TransactWriteItems are a ConditionCheck.
std::vector<bool> condition_checks(std::string_view body);

// The body of an error in DynamoDB Local's words; nothing if they are the same. `checks` is for
// errors of TransactWriteItems.
std::optional<std::string> local_error(std::string_view body, const std::vector<bool>& checks);

// Answers through `exchange`, errors in those words.
http::Exchange in_local_words(http::Exchange exchange, std::vector<bool> checks);

}  // namespace gateleg::api::dynamodb
