"""python3 verify.py KEYS.json < TOKENS: checks signatures, times of keys and chains of receipts."""
import base64, hashlib, json, sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):  # points of the curve in extended coordinates, as RFC 8032 has them
    t, u = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    v, w = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = u - t, w - v, w + v, u + t
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, point):
    total = (0, 1, 1, 0)
    while n:
        total, point, n = (add(total, point) if n & 1 else total), add(point, point), n >> 1
    return total


def point(data):
    sign, y = data[31] >> 7, int.from_bytes(data, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise ValueError("not a point of the curve")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def signed(key, message, signature):
    s = int.from_bytes(signature[32:], "little")
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))), add(point(signature[:32]), times(h, point(key)))
    return len(signature) == 64 and s < L and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def check(token, keys, seen):
    body, signature = (base64.b64decode(part + "=" * (-len(part) % 4), b"-_", validate=True) for part in token.split("."))
    receipt = json.loads(body)
    key = next((one for one in keys if one["kid"] == receipt["kid"]), None)
    if receipt["type"] != "svc.receipt.v1" or key is None or not signed(base64.b64decode(key["public_key"]), body, signature):
        raise ValueError("the signature is not of a published key")
    if not key["not_before"] <= receipt["ended_at"] <= key["not_after"]:
        raise ValueError("the key was not valid when the call ended")
    seen[receipt["agent"]["name"], receipt["seq"]] = hashlib.sha256(body).hexdigest(), receipt["previous_sha256"]
    return receipt


keys, seen = json.load(open(sys.argv[1]))["keys"], {}
for token in sys.stdin.read().split():
    receipt = check(token, keys, seen)
    print("valid", receipt["receipt_id"], receipt["agent"]["name"], receipt["skill"], receipt["status"])
for (agent, seq), (_, previous) in seen.items():
    if (seq == 1) != (previous is None) or ((agent, seq - 1) in seen and seen[agent, seq - 1][0] != previous):
        sys.exit(f"{agent}: receipt {seq} does not link to the one before")
