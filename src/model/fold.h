// One spelling for texts that people see as the same: for tags and other names they look things up
// by.

#pragma once

#include <string>
#include <string_view>

namespace gateleg::model {

// Unicode's composed form (NFC) in small letters, with a plain space for every kind of space. What
// is folded stays as it is when it is folded again. Bytes that are no UTF-8 are left alone.
std::string fold(std::string_view text);

}  // namespace gateleg::model
