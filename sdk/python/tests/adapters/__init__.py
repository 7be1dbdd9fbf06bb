"""With the real frameworks, each in an environment of its own: test/languages/python-adapters.parts.test.ts runs these files."""
