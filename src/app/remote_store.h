// How this process calls a store over the network: address, keys, patience.

#pragma once

#include <string>

#include "remote/remote_dynamo.h"

namespace gateleg::app {

// `store` is dynamodb://REGION, http://HOST:PORT or https://HOST:PORT; `region` is for hosts that
// do not name theirs. Keys come from the environment, as in the AWS SDKs; a store on loopback gets
// made-up ones when there are none. `option` names the option in errors. Throws ConfigError.
remote::RemoteOptions remote_options(
    const std::string& option, const std::string& store, const std::string& region
);

}  // namespace gateleg::app
