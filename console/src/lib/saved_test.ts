// An access pattern with what it answered, as a script that fails when it answers otherwise: here, on AWS or anywhere else.

import { type Target, commandOf, shellQuoted } from './snippets';

export interface SavedRead {
  operation: string;
  request: Record<string, unknown>;
  reply: Record<string, unknown>;
}

// The part of an answer that a program reads; the rest is what it cost.
const kAnswers: Record<string, string> = { Query: 'Items', Scan: 'Items', GetItem: 'Item', BatchGetItem: 'Responses' };

const json = (value: unknown) => JSON.stringify(value, null, 1);

export function testScript(title: string, reads: readonly SavedRead[], { endpoint, region }: Target, when: string): string {
  const checks = reads
    .filter(({ operation }) => kAnswers[operation])
    .map(({ operation, request, reply }, at) => {
      const part = kAnswers[operation]!;
      const { ReturnConsumedCapacity: _, ...asked } = request;
      const where = String(request.IndexName ?? request.TableName ?? '');
      return [`check ${shellQuoted(`${at + 1}. ${operation} ${where}`.trim())} ${commandOf(operation)} ${part} \\`, `${shellQuoted(json(asked))} \\`, shellQuoted(json(reply[part] ?? null))].join('\n');
    });
  return `#!/usr/bin/env bash
# ${title.replaceAll('\n', ' ')}: what it answered on ${when}. Exit code 1: it answers otherwise now.
# Needs the AWS CLI and Python. Other places: AWS_ENDPOINT_URL_DYNAMODB=URL bash FILE; empty is AWS itself.
set -euo pipefail
endpoint=\${AWS_ENDPOINT_URL_DYNAMODB-${endpoint}}
export AWS_REGION="\${AWS_REGION:-${region}}" AWS_PAGER=
[[ -z $endpoint ]] || export AWS_ACCESS_KEY_ID="\${AWS_ACCESS_KEY_ID:-local}" AWS_SECRET_ACCESS_KEY="\${AWS_SECRET_ACCESS_KEY:-local}"
failed=0

# Attributes in order; of a batch, the items too, for they come in any.
in_order() {
  python3 -c 'import json, sys
text = sys.stdin.read().strip()
answer = json.loads(text) if text else None
if isinstance(answer, dict) and all(isinstance(items, list) for items in answer.values()):
    answer = {table: sorted(items, key=lambda item: json.dumps(item, sort_keys=True)) for table, items in answer.items()}
print(json.dumps(answer, indent=1, sort_keys=True))'
}

check() { # name, command, part of the answer, request, expected
  local answer
  answer=$(aws dynamodb "$2" --region "$AWS_REGION" \${endpoint:+--endpoint-url "$endpoint"} --no-paginate --output json --query "$3" --cli-input-json "$4")
  if diff <(in_order <<<"$5") <(in_order <<<"$answer"); then echo "ok   $1"; else echo "FAIL $1" && failed=1; fi
}

${checks.join('\n\n')}

exit $failed
`;
}
