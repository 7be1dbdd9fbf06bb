"""The worker: runs handlers behind the platform's runtime, over the worker protocol (contract/wire/worker.ts)."""
