// Which attributes of its reads an operation relies on: they are pinned when it writes.

#pragma once

#include <map>
#include <set>
#include <string>

#include "model/schema.h"

namespace gateleg::model {

struct ReadUse {
    std::set<std::string, std::less<>> attributes;  // derived ones replaced by what they need
    bool existence = false;
};
using ReadUses = std::map<std::string, ReadUse, std::less<>>;

ReadUses find_read_uses(const Operation& operation);

// Names after `$` in an expression.
std::set<std::string, std::less<>> variables_of(const ExprPtr& expr);
// The same of everything a step computes.
std::set<std::string, std::less<>> variables_of(const Step& step);

}  // namespace gateleg::model
