from svc.adapters.asgi import from_asgi
from main import app

Agent = from_asgi(app, name="orders", description="Takes and cancels orders.")
