# The state of every control, and what is open.
svc compliance status acme

# The decisions since July, in one file.
svc compliance export acme --from 2026-07-01T00:00:00Z -o acme.ndjson

# From here on the platform is not needed: keep its published keys beside the file.
curl -fsS http://localhost:8080/v1/public/receipt-keys -o keys.json
svc compliance verify acme.ndjson --keys keys.json
node docs/samples/compliance/verify-export.mjs acme.ndjson keys.json

# One decision of the file: what was done, for whom, under which grants; and the signed receipt of it.
svc compliance records get acme $RECORD --receipt receipt.txt

# What the receipt says, and its signature.
svc receipt show --token @receipt.txt
svc receipt verify --token @receipt.txt
