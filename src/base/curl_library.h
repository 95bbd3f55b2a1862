// libcurl, loaded when it is first called. It brings 26 more libraries along, and a server that
// calls nobody would pay for them at each start, in time and in memory.
//
// The functions of libcurl that the project calls are defined in curl_library.cc and lead to the
// library: code includes curl/curl.h and calls them as ever, after load_curl().

#pragma once

#include "base/result.h"

namespace gateleg {

// Fails if the library is not installed. Thread-safe, and cheap from the second time on.
Result<void> load_curl();

}  // namespace gateleg
