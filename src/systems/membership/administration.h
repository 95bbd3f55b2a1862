// What administrators and jobs do to a member.

#pragma once

#include <string>

#include "systems/membership/members.h"
#include "systems/membership/spending.h"

namespace gateleg::systems::membership {

// Thread-safe. Members and spending outlive it.
class Administration {
public:
    Administration(const Members& members, const Spending& spending)
        : members_(members), spending_(spending) {}

    CallResult<OperationReply> show(const model::NativeCall& call) const;
    CallResult<OperationReply> check_access(const model::NativeCall& call) const;
    CallResult<OperationReply> show_other(const model::NativeCall& call) const;
    CallResult<OperationReply> set_founder(const model::NativeCall& call) const;
    CallResult<OperationReply> set_tier(const model::NativeCall& call) const;
    CallResult<OperationReply> reconcile(const model::NativeCall& call) const;
    CallResult<OperationReply> remove(const model::NativeCall& call) const;

    // One item of a job each.
    CallResult<OperationReply> refresh(const model::NativeCall& call) const;
    CallResult<OperationReply> grant_founder_months(const model::NativeCall& call) const;

private:
    CallResult<OperationReply> shown(const std::string& user, const model::Caller& caller) const;
    CallResult<Member> known(const std::string& user) const;
    CallResult<bool> repair_balance(const std::string& user) const;
    CallResult<bool> forfeit_lots(const std::string& user) const;
    CallResult<bool> end_everything(const std::string& user, const std::string& actor) const;

    const Members& members_;
    const Spending& spending_;
};

}  // namespace gateleg::systems::membership
