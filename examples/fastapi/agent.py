from quickstart import app
from svc.adapters.asgi import from_asgi

Refunds = from_asgi(app, name="refunds-fastapi", description="Refunds orders.")
