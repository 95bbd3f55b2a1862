#!/usr/bin/env bash
# Starts a server with the library and plays a day in it. GATELEG_BIN names the binary.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gateleg=${GATELEG_BIN:-$here/../../build/release/gateleg}
export GATELEG_JWT_SECRET=only-for-this-demo-only-for-this-demo

log=$(mktemp)
"$gateleg" serve --memory --model "$here/model.yaml" --http 127.0.0.1:0 --dynamodb 127.0.0.1:0 >"$log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT
for _ in $(seq 300); do
    grep -q '^gateleg ready' "$log" && break
    kill -0 "$server" || exit 1
    sleep 0.1
done
url=$(sed -n 's/^gateleg ready.* http=\([^ ]*\).*/\1/p' "$log")/v1/library

# A JSON Web Token, as a log-in service would make it.
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
token() {
    local signed
    signed=$(printf '{"alg":"HS256","typ":"JWT"}' | base64url).$(
        printf '{"sub":"%s","roles":["%s"],"exp":%d}' "$1" "$2" $(($(date +%s) + 600)) | base64url
    )
    printf '%s.%s' "$signed" "$(printf '%s' "$signed" | openssl dgst -sha256 -hmac "$GATELEG_JWT_SECRET" -binary | base64url)"
}
ask() { # WHO METHOD PATH [BODY]
    printf '\n%s\n' "$2 $3 ${4:-}"
    curl -sS -X "$2" "$url$3" -H "authorization: Bearer $1" ${4:+-H 'content-type: application/json' -d "$4"}
    echo
}

desk=$(token desk librarian) ada=$(token ada user) ben=$(token ben user)
ask "$desk" POST /books '{"isbn":"9780141439518","title":"Emma","author":"Jane Austen"}' | tee "$log.book"
book=$(sed -n 's/.*"bookId":"\([^"]*\)".*/\1/p' "$log.book")
rm -f "$log.book"
ask "$ada" POST /me '{"name":"Ada","email":"ada@example.org"}'
ask "$ben" POST /me '{"name":"Ben","email":"ADA@example.org"}' # EmailTaken
ask "$ben" POST /me '{"name":"Ben","email":"ben@example.org"}'
ask "$ada" POST "/books/$book/loan"
ask "$ben" POST "/books/$book/loan" # NoneLeft
ask "$ben" PUT "/books/$book/hold"
ask "$desk" GET "/books/$book/holds"
ask "$ada" DELETE "/books/$book/loan"
ask "$ben" POST "/books/$book/loan"
ask "$ben" GET /me/loans
ask "$desk" GET "/authors/jane%20austen"
