#include "model/native_run.h"

#include "model/access.h"
#include "model/inputs.h"

namespace gateleg::model {

CallResult<OperationReply> run_native(
    Shared& shared, const Operation& operation, const OperationCall& call, const Caller& caller
) {
    if (auto denied = find_denial(operation.allow, caller)) {
        return *denied;
    }
    const auto installed = shared.natives.find(&operation);
    if (installed == shared.natives.end()) {
        return CallError{
            501, "NotAvailable", "This server has no code for " + operation.name + "."};
    }
    auto environment = make_environment(shared.model, caller, shared.clock.now_millis());
    std::set<std::string, std::less<>> given;
    if (auto read = read_inputs(operation, call, environment, given); !read) {
        return read.error();
    }
    Arguments arguments;
    for (const auto& input : operation.inputs) {
        const auto& value = environment.variables[input.attribute.name];
        if (!is_null(value)) {
            arguments[input.attribute.name] = to_stored(value, &input.attribute);
        }
    }
    return installed->second({operation, arguments, caller, call});
}

}  // namespace gateleg::model
