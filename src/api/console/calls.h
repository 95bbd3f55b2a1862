// The calls behind /_/api: each takes what the request said and gives JSON. They may block.
//
// docs/console-api.md describes every one.

#pragma once

#include <string>

#include "api/console/context.h"

namespace gateleg::api::console {

// models.cc
std::string render_models(const Context& context);
CallReply model_text(const Context& context, const Call& call);

// model_calls.cc
CallReply check_model(const Context& context, const Call& call);
CallReply plan_model(const Context& context, const Call& call);
CallReply explain(const Context& context, const Call& call);
CallReply backfill_model(const Context& context, const Call& call);

// partition_calls.cc
CallReply list_partitions(const Context& context, const Call& call);
CallReply list_hot_keys(const Context& context, const Call& call);

// work_calls.cc
CallReply list_outbox(const Context& context, const Call& call);
CallReply retry_outbox(const Context& context, const Call& call);
CallReply list_jobs(const Context& context, const Call& call);
CallReply run_job(const Context& context, const Call& call);

// object_calls.cc
CallReply list_buckets(const Context& context, const Call& call);
CallReply list_objects(const Context& context, const Call& call);
CallReply presign_object(const Context& context, const Call& call);
CallReply delete_object(const Context& context, const Call& call);

// metric_calls.cc
CallReply list_metrics(const Context& context, const Call& call);
CallReply list_requests(const Context& context, const Call& call);

// key_calls.cc
CallReply list_keys(const Context& context, const Call& call);
CallReply create_key(const Context& context, const Call& call);
CallReply revoke_key(const Context& context, const Call& call);

}  // namespace gateleg::api::console
